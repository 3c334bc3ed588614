(** Prints the tables, for the comparison with the other specifications, and what the theorems assume. *)

From Coq Require Import List NArith String.
From Runewire Require Import Decoding.
From Runewire Require Utf8 Utf16 Utf32.
Import ListNotations.

Definition printed {state : Type} (rows : list (row state)) :=
  map (fun r => (from r, low r, high r, base r, next r)) rows.

Eval compute in ("utf-8"%string, Utf8.radix, printed Utf8.rows).
Eval compute in ("utf-16"%string, Utf16.radix, printed Utf16.rows).
Eval compute in ("utf-32"%string, Utf32.radix, printed Utf32.rows).

Print Assumptions Utf8.accepts_exactly_table_3_7.
Print Assumptions Utf8.accepts.
Print Assumptions Utf8.decoder_is_correct.
Print Assumptions Utf16.accepts.
Print Assumptions Utf16.decoder_is_correct.
Print Assumptions Utf32.accepts.
Print Assumptions Utf32.decoder_is_correct.
