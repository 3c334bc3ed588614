(** UTF-32: the automaton, definition D90 of the Unicode Standard, and that they are the same. *)

From Coq Require Import List ZArith NArith PreOmega Lia.
From Runewire Require Import Decoding Scalar.
Import ListNotations.
Open Scope N_scope.

(** ** The standard *)

(** D90: a scalar value is one unit, the same number. *)
Definition encode (s : N) : list N := [s].

Definition well_formed (units : list N) (s : N) : Prop := scalar_value s /\ units = encode s.

(** ** The automaton *)

(** A first unit comes next, always. *)
Inductive state := CHAR.

Definition same (a b : state) : bool := true.

Definition rows : list (row state) := [
  Row CHAR 0x0000 0xD7FF   0 None;
  Row CHAR 0xE000 0x10FFFF 0 None].

Definition radix : N := 1.

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

(** The automaton accepts exactly the sequences that are one scalar value, and gives each its scalar value. *)
Theorem accepts : forall units s, judge units = Whole s <-> well_formed units s.
Proof.
  intros units s. split; [apply accepted |]. intros [S ->]. unfold scalar_value in S. unfold encode, Decoding.judge.
  destruct S as [S | S]; run_through rows same; f_equal; unfold radix; lia.
Qed.

Lemma completes : forall part s v,
  part <> [] -> judge part = Open s v -> exists more scalar, well_formed (part ++ more) scalar.
Proof.
  intros part s v _ J.
  assert (exists more scalar, run state same rows radix s v more = Whole scalar) as [more [scalar R]].
  { destruct s; [exists [0x0000]]; eexists; reflexivity. }
  exists more, scalar. apply accepts. unfold Decoding.judge in *. rewrite run_app, J. exact R.
Qed.

(** What Decoding.v lists: decoding is by maximal subparts and in one way, loses no unit, undoes encoding, reports the
    first error, and does not depend on how the text is cut. *)
Theorem decoder_is_correct : correct state same CHAR rows radix well_formed encode.
Proof. exact (is_correct _ _ _ _ _ _ accepts completes encode (fun s S => conj S eq_refl)). Qed.
