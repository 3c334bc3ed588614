(** What decoding a text gives, one item after another: a scalar value and the units that are well-formed for it, or an
    ill-formed subpart, which one U+FFFD replaces. *)

From Coq Require Import List NArith.
Import ListNotations.
Open Scope N_scope.

Inductive item := Good (scalar : N) (units : list N) | Bad (units : list N).

Definition units_of (i : item) : list N := match i with Good _ units => units | Bad units => units end.

Definition replacement : N := 0xFFFD.
Definition replaced (i : item) : N := match i with Good scalar _ => scalar | Bad _ => replacement end.

(** The offset of the first ill-formed subpart, in units. *)
Fixpoint first_error_of (items : list item) : option nat :=
  match items with
  | [] => None
  | Good _ units :: more => option_map (Nat.add (length units)) (first_error_of more)
  | Bad _ :: _ => Some 0%nat
  end.
