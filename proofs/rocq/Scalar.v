(** Unicode scalar values (Unicode Standard, D76): any code point except surrogates. *)

From Coq Require Import NArith.
Open Scope N_scope.

Definition scalar_value (s : N) : Prop := s <= 0xD7FF \/ 0xE000 <= s <= 0x10FFFF.
