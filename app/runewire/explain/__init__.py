"""Pictures of how code points become bytes."""
