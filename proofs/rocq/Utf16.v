(** UTF-16: the automaton, definition D91 and table 3-5 of the Unicode Standard, and that they are the same. *)

From Coq Require Import List ZArith NArith PreOmega Lia.
From Runewire Require Import Decoding Scalar.
Import ListNotations.
Open Scope N_scope.

(** ** The standard *)

(** Table 3-5 (D91): a scalar value is one unit, or two surrogates. Of its upper bits, [u - 1] is in the first. *)
Definition encode (s : N) : list N :=
  if s <? 0x10000 then [s]
  else [0xD800 + (s / 0x10000 - 1) * 0x40 + s / 0x400 mod 0x40; 0xDC00 + s mod 0x400].

Definition well_formed (units : list N) (s : N) : Prop := scalar_value s /\ units = encode s.

(** ** The automaton *)

(** What may come next: a first unit, or the low surrogate after a high one. *)
Inductive state := CHAR | LOW.

Definition same (a b : state) : bool := match a, b with CHAR, CHAR | LOW, LOW => true | _, _ => false end.

(** A high surrogate's base is D800 less 40, the bits of 10000 that all pairs add. *)
Definition rows : list (row state) := [
  Row CHAR 0x0000 0xD7FF 0x0000 None;
  Row CHAR 0xD800 0xDBFF 0xD7C0 (Some LOW);
  Row CHAR 0xE000 0xFFFF 0x0000 None;
  Row LOW  0xDC00 0xDFFF 0xDC00 None].

Definition radix : N := 0x400.

Notation judge := (judge state same CHAR rows radix).
Notation decode := (decode state same CHAR rows radix).
Notation Whole := (Whole state).
Notation Open := (Open state).

Lemma same_is_equal : forall a b, same a b = true -> a = b.
Proof. intros [] []; (reflexivity || discriminate). Qed.

Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.

Lemma accepted : forall units s, judge units = Whole s -> well_formed units s.
Proof.
  intros units s J. unfold Decoding.judge in J.
  each_way same_is_equal rows; unfold radix; (split; [unfold scalar_value; lia | choose_length encode; repeat f_equal; lia]).
Qed.

(** The automaton accepts exactly the sequences that table 3-5 has, and gives each its scalar value. *)
Theorem accepts : forall units s, judge units = Whole s <-> well_formed units s.
Proof.
  intros units s. split; [apply accepted |]. intros [S ->]. unfold scalar_value in S. unfold encode, Decoding.judge.
  destruct (N.ltb_spec s 0x10000).
  - destruct S as [S | S]; run_through rows same; f_equal; unfold radix; lia.
  - run_through rows same. f_equal. unfold radix. lia.
Qed.

Lemma completes : forall part s v,
  part <> [] -> judge part = Open s v -> exists more scalar, well_formed (part ++ more) scalar.
Proof.
  intros part s v _ J.
  assert (exists more scalar, run state same rows radix s v more = Whole scalar) as [more [scalar R]].
  { destruct s; [exists [0x0000] | exists [0xDC00]]; eexists; reflexivity. }
  exists more, scalar. apply accepts. unfold Decoding.judge in *. rewrite run_app, J. exact R.
Qed.

(** What Decoding.v lists: decoding is by maximal subparts and in one way, loses no unit, undoes encoding, reports the
    first error, and does not depend on how the text is cut. *)
Theorem decoder_is_correct : correct state same CHAR rows radix well_formed encode.
Proof. exact (is_correct _ _ _ _ _ _ accepts completes encode (fun s S => conj S eq_refl)). Qed.

(** D83D alone, then a pair, then DE00 alone. *)
Example unpaired : decode [0xD83D; 0xD83D; 0xDE00; 0xDE00] =
  [Bad [0xD83D]; Good 0x1F600 [0xD83D; 0xDE00]; Bad [0xDE00]].
Proof. reflexivity. Qed.
