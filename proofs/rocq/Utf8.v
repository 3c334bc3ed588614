(** UTF-8: the automaton, the tables 3-6 and 3-7 of the Unicode Standard, and that they are the same. *)

From Coq Require Import List ZArith NArith PreOmega Lia.
From Runewire Require Import Decoding Scalar.
Import ListNotations.
Open Scope N_scope.

(** ** The standard *)

(** Table 3-6 (D92): how the bits of a scalar value are distributed over its bytes. *)
Definition encode (s : N) : list N :=
  if s <? 0x80 then [s]
  else if s <? 0x800 then [0xC0 + s / 0x40; 0x80 + s mod 0x40]
  else if s <? 0x10000 then [0xE0 + s / 0x1000; 0x80 + s / 0x40 mod 0x40; 0x80 + s mod 0x40]
  else [0xF0 + s / 0x40000; 0x80 + s / 0x1000 mod 0x40; 0x80 + s / 0x40 mod 0x40; 0x80 + s mod 0x40].

Definition well_formed (bytes : list N) (s : N) : Prop := scalar_value s /\ bytes = encode s.

(** Table 3-7: the well-formed byte sequences, a range for each byte. *)
Definition table_3_7 : list (list (N * N)) := [
  [(0x00, 0x7F)];
  [(0xC2, 0xDF); (0x80, 0xBF)];
  [(0xE0, 0xE0); (0xA0, 0xBF); (0x80, 0xBF)];
  [(0xE1, 0xEC); (0x80, 0xBF); (0x80, 0xBF)];
  [(0xED, 0xED); (0x80, 0x9F); (0x80, 0xBF)];
  [(0xEE, 0xEF); (0x80, 0xBF); (0x80, 0xBF)];
  [(0xF0, 0xF0); (0x90, 0xBF); (0x80, 0xBF); (0x80, 0xBF)];
  [(0xF1, 0xF3); (0x80, 0xBF); (0x80, 0xBF); (0x80, 0xBF)];
  [(0xF4, 0xF4); (0x80, 0x8F); (0x80, 0xBF); (0x80, 0xBF)]].

Definition in_range (range : N * N) (byte : N) : Prop := fst range <= byte <= snd range.
Definition in_table (bytes : list N) : Prop := Exists (fun ranges => Forall2 in_range ranges bytes) table_3_7.

(** ** The automaton *)

(** What may come next: a first byte, one to three continuation bytes, or the second byte after E0, ED, F0 or F4. *)
Inductive state := CHAR | TAIL1 | TAIL2 | TAIL3 | AFTER_E0 | AFTER_ED | AFTER_F0 | AFTER_F4.

Definition same (a b : state) : bool :=
  match a, b with
  | CHAR, CHAR | TAIL1, TAIL1 | TAIL2, TAIL2 | TAIL3, TAIL3 => true
  | AFTER_E0, AFTER_E0 | AFTER_ED, AFTER_ED | AFTER_F0, AFTER_F0 | AFTER_F4, AFTER_F4 => true
  | _, _ => false
  end.

Definition rows : list (row state) := [
  Row CHAR     0x00 0x7F 0x00 None;
  Row CHAR     0xC2 0xDF 0xC0 (Some TAIL1);
  Row CHAR     0xE0 0xE0 0xE0 (Some AFTER_E0);
  Row CHAR     0xE1 0xEC 0xE0 (Some TAIL2);
  Row CHAR     0xED 0xED 0xE0 (Some AFTER_ED);
  Row CHAR     0xEE 0xEF 0xE0 (Some TAIL2);
  Row CHAR     0xF0 0xF0 0xF0 (Some AFTER_F0);
  Row CHAR     0xF1 0xF3 0xF0 (Some TAIL3);
  Row CHAR     0xF4 0xF4 0xF0 (Some AFTER_F4);
  Row TAIL1    0x80 0xBF 0x80 None;
  Row TAIL2    0x80 0xBF 0x80 (Some TAIL1);
  Row TAIL3    0x80 0xBF 0x80 (Some TAIL2);
  Row AFTER_E0 0xA0 0xBF 0x80 (Some TAIL1);
  Row AFTER_ED 0x80 0x9F 0x80 (Some TAIL1);
  Row AFTER_F0 0x90 0xBF 0x80 (Some TAIL2);
  Row AFTER_F4 0x80 0x8F 0x80 (Some TAIL2)].

Definition radix : N := 0x40.

Notation judge := (judge state same CHAR rows radix).
Notation decode := (decode state same CHAR rows radix).
Notation Whole := (Whole state).
Notation Open := (Open state).

Lemma same_is_equal : forall a b, same a b = true -> a = b.
Proof. intros [] []; (reflexivity || discriminate). Qed.

Theorem accepts_what_table_3_7_has : forall bytes, in_table bytes -> exists s, judge bytes = Whole s.
Proof.
  intros bytes T. unfold in_table, table_3_7 in T.
  repeat match goal with
  | H : Exists _ (_ :: _) |- _ => inversion H; clear H; subst
  | H : Exists _ [] |- _ => inversion H
  end;
  repeat match goal with
  | H : Forall2 _ (_ :: _) _ |- _ => inversion H; clear H; subst
  | H : Forall2 _ [] _ |- _ => inversion H; clear H; subst
  end; unfold in_range in *; cbn [fst snd] in *; unfold Decoding.judge;
  run_through rows same; eexists; reflexivity.
Qed.

(** The value of a sequence's bits, by its length. *)
Definition spelled (bytes : list N) : N :=
  match bytes with
  | [a] => a
  | [a; b] => (a - 0xC0) * 0x40 + (b - 0x80)
  | [a; b; c] => (a - 0xE0) * 0x1000 + (b - 0x80) * 0x40 + (c - 0x80)
  | [a; b; c; d] => (a - 0xF0) * 0x40000 + (b - 0x80) * 0x1000 + (c - 0x80) * 0x40 + (d - 0x80)
  | _ => 0
  end.

Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.

Ltac some_row := first
  [ apply Exists_cons_hd; repeat (apply Forall2_cons; [unfold in_range; cbn [fst snd]; lia |]); apply Forall2_nil
  | apply Exists_cons_tl; some_row ].

Lemma accepted : forall bytes s, judge bytes = Whole s ->
  in_table bytes /\ s = spelled bytes /\ well_formed bytes s.
Proof.
  intros bytes s J. unfold Decoding.judge in J.
  each_way same_is_equal rows;
  (split; [unfold in_table, table_3_7; some_row |]); unfold radix; cbn [spelled]; (split; [lia |]);
  (split; [unfold scalar_value; lia | choose_length encode; repeat f_equal; lia]).
Qed.

Lemma encoded_is_in_table : forall s, scalar_value s -> in_table (encode s).
Proof.
  intros s S. unfold scalar_value in S. unfold in_table, table_3_7, encode.
  destruct (N.ltb_spec s 0x80); [some_row |]. destruct (N.ltb_spec s 0x800); [some_row |].
  destruct (N.ltb_spec s 0x10000).
  - assert (s < 0x1000 \/ 0x1000 <= s < 0xD000 \/ 0xD000 <= s <= 0xD7FF \/ 0xE000 <= s) as [| [| [|]]] by lia;
      some_row.
  - assert (s < 0x40000 \/ 0x40000 <= s < 0x100000 \/ 0x100000 <= s) as [| [|]] by lia; some_row.
Qed.

Lemma spelled_of_encoded : forall s, scalar_value s -> spelled (encode s) = s.
Proof.
  intros s S. unfold scalar_value in S. unfold encode.
  destruct (N.ltb_spec s 0x80); [reflexivity |]. destruct (N.ltb_spec s 0x800); [cbn [spelled]; lia |].
  destruct (N.ltb_spec s 0x10000); cbn [spelled]; lia.
Qed.

(** The automaton accepts exactly table 3-7. *)
Theorem accepts_exactly_table_3_7 : forall bytes, (exists s, judge bytes = Whole s) <-> in_table bytes.
Proof. intros bytes. split; [intros [s J]; apply (accepted _ _ J) | apply accepts_what_table_3_7_has]. Qed.

(** ... and gives each sequence the scalar value that table 3-6 encodes so. *)
Theorem accepts : forall bytes s, judge bytes = Whole s <-> well_formed bytes s.
Proof.
  intros bytes s. split; [intros J; apply (accepted _ _ J) |]. intros [S ->].
  destruct (accepts_what_table_3_7_has _ (encoded_is_in_table _ S)) as [v J].
  destruct (accepted _ _ J) as [_ [V _]]. rewrite (spelled_of_encoded _ S) in V. congruence.
Qed.

Lemma completes : forall part s v,
  part <> [] -> judge part = Open s v -> exists more scalar, well_formed (part ++ more) scalar.
Proof.
  intros part s v _ J.
  assert (exists more scalar, run state same rows radix s v more = Whole scalar) as [more [scalar R]].
  { destruct s;
      [exists [0x00] | exists [0x80] | exists [0x80; 0x80] | exists [0x80; 0x80; 0x80] | exists [0xA0; 0x80]
      | exists [0x80; 0x80] | exists [0x90; 0x80; 0x80] | exists [0x80; 0x80; 0x80]];
      eexists; reflexivity. }
  exists more, scalar. apply accepts. unfold Decoding.judge in *. rewrite run_app, J. exact R.
Qed.

(** What Decoding.v lists: decoding is by maximal subparts and in one way, loses no unit, undoes encoding, reports the
    first error, and does not depend on how the text is cut. *)
Theorem decoder_is_correct : correct state same CHAR rows radix well_formed encode.
Proof. exact (is_correct _ _ _ _ _ _ accepts completes encode (fun s S => conj S eq_refl)). Qed.

(** The standard's tables 3-8 to 3-11: what is replaced by one U+FFFD each. *)
Definition subparts (text : list N) : list (list N) := map units_of (decode text).

Example table_3_8 : subparts [0xC0; 0xAF; 0xE0; 0x80; 0xBF; 0xF0; 0x81; 0x82; 0x41] =
  [[0xC0]; [0xAF]; [0xE0]; [0x80]; [0xBF]; [0xF0]; [0x81]; [0x82]; [0x41]].
Proof. reflexivity. Qed.
Example table_3_9 : subparts [0xED; 0xA0; 0x80; 0xED; 0xBF; 0xBF; 0xED; 0xAF; 0x41] =
  [[0xED]; [0xA0]; [0x80]; [0xED]; [0xBF]; [0xBF]; [0xED]; [0xAF]; [0x41]].
Proof. reflexivity. Qed.
Example table_3_10 : subparts [0xF4; 0x91; 0x92; 0x93; 0xFF; 0x41; 0x80; 0xBF; 0x42] =
  [[0xF4]; [0x91]; [0x92]; [0x93]; [0xFF]; [0x41]; [0x80]; [0xBF]; [0x42]].
Proof. reflexivity. Qed.
Example table_3_11 : subparts [0xE1; 0x80; 0xE2; 0xF0; 0x91; 0x92; 0xF1; 0xBF; 0x41] =
  [[0xE1; 0x80]; [0xE2]; [0xF0; 0x91; 0x92]; [0xF1; 0xBF]; [0x41]].
Proof. reflexivity. Qed.
