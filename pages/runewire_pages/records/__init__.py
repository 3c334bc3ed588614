"""``runewire records``: which records belong to the present design, and a night that makes the others again."""
