(** Tactics for the tables of the encoding forms. *)

From Coq Require Import List NArith Lia Bool.
From Runewire Require Import Decoding.
Import ListNotations.
Open Scope N_scope.

(** Run the automaton over units of which lia knows the ranges. *)
Tactic Notation "run_through" reference(rows) reference(same) :=
  cbv beta iota delta [run step rows find fits same from low high base next andb];
  repeat match goal with
  | |- context [?a <=? ?b] =>
    first [replace (a <=? b) with true by (symmetry; apply N.leb_le; lia)
          | replace (a <=? b) with false by (symmetry; apply N.leb_gt; lia)]; cbv iota
  end.

(** A case for each way through the table that accepts a sequence. [equal]: states that are the same are equal. *)
Tactic Notation "each_way" constr(equal) reference(rows) :=
  repeat match goal with
  | H : run _ _ _ _ _ _ _ = _ |- _ =>
    apply run_takes_a_step in H; destruct H as [? [? [? [? [-> [?K H]]]]]];
    match goal with K : step _ _ _ _ _ _ _ = _ |- _ =>
      let r := fresh in let I := fresh in let F := fresh in let L := fresh in let E := fresh in let V := fresh in
      apply (step_is_a_row _ _ _ _ equal) in K; destruct K as [r [I [F [L [E V]]]]];
      unfold rows in I; cbn [In] in I;
      repeat match type of I with _ \/ _ => destruct I as [I | I] end;
      try contradiction; subst r; cbn [from low high base next] in F, L, E, V; try discriminate; subst
    end
  | H : _ = [] /\ _ |- _ => destruct H as [-> ?]
  end; subst.

(** Choose the branches of [encode] where lia knows the range of the scalar value. *)
Tactic Notation "choose_length" reference(encode) :=
  unfold encode;
  repeat match goal with |- context [?a <? ?b] =>
    first [replace (a <? b) with true by (symmetry; apply N.ltb_lt; lia)
          | replace (a <? b) with false by (symmetry; apply N.ltb_ge; lia)]; cbv iota
  end.
