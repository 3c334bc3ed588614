(** An automaton that decodes code units, and what it does by the definitions of the Unicode Standard, chapter 3.

    The automaton is a table. A row says: in state [from], a unit from [low] to [high] gives [unit - base] to the value,
    and the automaton is in state [next], or a scalar value is complete ([None]). A unit without a row ends the sequence
    under way: what was read of it is ill-formed, and the unit is read again at the start.

    This file has no encoding in it. It assumes two things of a table, which Utf8.v, Utf16.v and Utf32.v prove of
    theirs: the table accepts exactly the well-formed sequences, and each sequence under way can be completed. *)

From Coq Require Import List NArith Arith Lia Bool.
From Runewire Require Import Scalar.
Import ListNotations.
Open Scope N_scope.

Record row (state : Type) := Row { from : state; low : N; high : N; base : N; next : option state }.
Arguments Row {state}.
Arguments from {state}.
Arguments low {state}.
Arguments high {state}.
Arguments base {state}.
Arguments next {state}.

(** What decoding a text gives, one item after another: a scalar value and the units that are well-formed for it, or an
    ill-formed subpart, which one U+FFFD replaces. *)
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

Section Automaton.
  Variable state : Type.
  Variable same : state -> state -> bool.
  Variable start : state.
  Variable rows : list (row state).
  Variable radix : N.

  Definition fits (s : state) (u : N) (r : row state) : bool :=
    same s (from r) && (low r <=? u) && (u <=? high r).

  (** One unit [u] in state [s], where the sequence so far has the value [v]. *)
  Definition step (s : state) (v u : N) : option (option state * N) :=
    match find (fits s u) rows with
    | None => None
    | Some r => Some (next r, radix * v + (u - base r))
    end.

  Lemma step_is_a_row : (forall a b, same a b = true -> a = b) -> forall s v u next' v',
    step s v u = Some (next', v') -> exists r,
      In r rows /\ from r = s /\ low r <= u <= high r /\ next' = next r /\ v' = radix * v + (u - base r).
  Proof.
    intros equal s v u next' v' H. unfold step in H. destruct (find (fits s u) rows) as [r |] eqn:F; [| discriminate].
    injection H as <- <-. apply find_some in F as [I F]. unfold fits in F.
    apply andb_true_iff in F as [F U]. apply andb_true_iff in F as [F L]. exists r.
    apply N.leb_le in U, L. repeat split; try assumption. symmetry. exact (equal _ _ F).
  Qed.

  (** What the automaton says of one sequence. *)
  Inductive verdict := Whole (scalar : N) | Open (s : state) (v : N) | Broken.

  Fixpoint run (s : state) (v : N) (units : list N) : verdict :=
    match units with
    | [] => Open s v
    | u :: more =>
      match step s v u with
      | None => Broken
      | Some (Some s', v') => run s' v' more
      | Some (None, v') => match more with [] => Whole v' | _ => Broken end
      end
    end.

  Definition judge (units : list N) : verdict := run start 0 units.

  Lemma run_takes_a_step : forall s v units scalar, run s v units = Whole scalar ->
    exists u more next' v', units = u :: more /\ step s v u = Some (next', v') /\
      match next' with
      | None => more = [] /\ v' = scalar
      | Some s' => run s' v' more = Whole scalar
      end.
  Proof.
    intros s v [| u more] scalar R; [discriminate |]. cbn [run] in R.
    destruct (step s v u) as [[[s' |] v'] |] eqn:E; [| | discriminate];
      exists u, more; [exists (Some s'), v' | exists None, v']; repeat split; auto;
      destruct more; congruence.
  Qed.

  Lemma run_app : forall a b s v,
    run s v (a ++ b) =
      match run s v a with
      | Open s' v' => run s' v' b
      | Whole scalar => match b with [] => Whole scalar | _ => Broken end
      | Broken => Broken
      end.
  Proof.
    induction a as [| u a IH]; intros b s v; simpl; [reflexivity |].
    destruct (step s v u) as [[[s' |] v'] |]; [apply IH | | reflexivity].
    destruct a; simpl; [| reflexivity]. destruct b; reflexivity.
  Qed.

  (** The decoder's state between two units: the automaton's state and value, and the units of the sequence under way. *)
  Definition memory : Type := state * N * list N.
  Definition fresh : memory := (start, 0, []).

  (** A unit at the start of a sequence. *)
  Definition begin (u : N) : memory * list item :=
    match step start 0 u with
    | None => (fresh, [Bad [u]])
    | Some (None, v) => (fresh, [Good v [u]])
    | Some (Some s, v) => ((s, v, [u]), [])
    end.

  Definition feed (m : memory) (u : N) : memory * list item :=
    match m with
    | (s, v, []) => begin u
    | (s, v, held) =>
      match step s v u with
      | None => let (m', items) := begin u in (m', Bad held :: items)
      | Some (None, v') => (fresh, [Good v' (held ++ [u])])
      | Some (Some s', v') => ((s', v', held ++ [u]), [])
      end
    end.

  (** A segment of a text, from the memory that the segments before it left. *)
  Fixpoint feed_all (m : memory) (units : list N) : memory * list item :=
    match units with
    | [] => (m, [])
    | u :: more =>
      let (m', items) := feed m u in
      let (m'', rest) := feed_all m' more in (m'', items ++ rest)
    end.

  Definition finish (m : memory) : list item := match m with (_, _, []) => [] | (_, _, held) => [Bad held] end.

  Definition decode_from (m : memory) (units : list N) : list item :=
    let (m', items) := feed_all m units in items ++ finish m'.

  Definition decode (units : list N) : list item := decode_from fresh units.

  Fixpoint decode_segments_from (m : memory) (segments : list (list N)) : list item :=
    match segments with
    | [] => finish m
    | segment :: more => let (m', items) := feed_all m segment in items ++ decode_segments_from m' more
    end.

  Definition decode_segments (segments : list (list N)) : list item := decode_segments_from fresh segments.

  Definition first_error (units : list N) : option nat := first_error_of (decode units).

  (** ** Cutting a text into segments changes nothing, whatever the table is *)

  Lemma feed_all_app : forall a b m,
    feed_all m (a ++ b) =
      let (m', items) := feed_all m a in let (m'', rest) := feed_all m' b in (m'', items ++ rest).
  Proof.
    induction a as [| u a IH]; intros b m; simpl.
    - destruct (feed_all m b); reflexivity.
    - destruct (feed m u) as [m1 i1]. rewrite IH. destruct (feed_all m1 a) as [m2 i2].
      destruct (feed_all m2 b) as [m3 i3]. rewrite app_assoc. reflexivity.
  Qed.

  Theorem segments_change_nothing : forall segments, decode_segments segments = decode (concat segments).
  Proof.
    unfold decode_segments, decode. intros segments. generalize fresh.
    induction segments as [| segment more IH]; intros m; simpl.
    - unfold decode_from. reflexivity.
    - unfold decode_from. rewrite feed_all_app. destruct (feed_all m segment) as [m1 i1]. rewrite IH.
      unfold decode_from. destruct (feed_all m1 (concat more)) as [m2 i2]. rewrite app_assoc. reflexivity.
  Qed.

  (** ** Decoding as the Unicode Standard defines it *)

  (** [well_formed units scalar]: the sequence is the encoding form's for that scalar value (D79, D91, D92, D90). *)
  Variable well_formed : list N -> N -> Prop.

  (** D93a, for the offset at which [text] begins: no sequence that starts there is well-formed. *)
  Definition unconvertible (text : list N) : Prop := forall units scalar rest,
    well_formed units scalar -> text <> units ++ rest.

  (** D93b: a candidate is the initial subsequence of a well-formed sequence, or of length one. *)
  Definition candidate (part : list N) : Prop :=
    part <> [] /\ ((exists more scalar, well_formed (part ++ more) scalar) \/ length part = 1%nat).

  (** D93b: the longest one that starts at an unconvertible offset. *)
  Definition maximal_subpart (part text : list N) : Prop :=
    (exists rest, text = part ++ rest) /\ candidate part /\
    forall other rest, text = other ++ rest -> candidate other -> (length other <= length part)%nat.

  (** Chapter 3.9, "U+FFFD Substitution of Maximal Subparts": what decoding must give. *)
  Inductive decodes : list N -> list item -> Prop :=
  | decodes_nothing : decodes [] []
  | decodes_scalar : forall units scalar rest items,
      well_formed units scalar -> decodes rest items -> decodes (units ++ rest) (Good scalar units :: items)
  | decodes_subpart : forall part rest items,
      unconvertible (part ++ rest) -> maximal_subpart part (part ++ rest) -> decodes rest items ->
      decodes (part ++ rest) (Bad part :: items).

  (** A text of well-formed sequences alone. *)
  Inductive well_formed_text : list N -> Prop :=
  | empty_text : well_formed_text []
  | longer_text : forall units scalar rest,
      well_formed units scalar -> well_formed_text rest -> well_formed_text (units ++ rest).

  Hypothesis accepts : forall units scalar, judge units = Whole scalar <-> well_formed units scalar.
  Hypothesis completes : forall part s v,
    part <> [] -> judge part = Open s v -> exists more scalar, well_formed (part ++ more) scalar.

  Lemma judge_app : forall a b,
    judge (a ++ b) =
      match judge a with
      | Open s v => run s v b
      | Whole scalar => match b with [] => Whole scalar | _ => Broken end
      | Broken => Broken
      end.
  Proof. intros a b. apply run_app. Qed.

  Lemma well_formed_not_empty : forall scalar, ~ well_formed [] scalar.
  Proof. intros scalar H. apply accepts in H. discriminate. Qed.

  Lemma well_formed_function : forall units a b, well_formed units a -> well_formed units b -> a = b.
  Proof. intros units a b Ha Hb. apply accepts in Ha, Hb. congruence. Qed.

  Lemma well_formed_prefix_free : forall units more a b,
    well_formed units a -> well_formed (units ++ more) b -> more = [].
  Proof.
    intros units more a b Ha Hb. apply accepts in Ha, Hb. rewrite judge_app, Ha in Hb.
    destruct more; [reflexivity | discriminate].
  Qed.

  Lemma begins_nothing : forall part, judge part = Broken ->
    forall more scalar, ~ well_formed (part ++ more) scalar.
  Proof. intros part H more scalar W. apply accepts in W. rewrite judge_app, H in W. discriminate. Qed.

  (** Two beginnings of a text: one is a beginning of the other. *)
  Lemma two_beginnings : forall (a b x y : list N), a ++ x = b ++ y ->
    (exists z, b = a ++ z) \/ (exists z, a = b ++ z).
  Proof.
    induction a as [| u a IH]; intros b x y H.
    - left. exists b. reflexivity.
    - destruct b as [| w b]; [right; exists (u :: a); reflexivity |].
      simpl in H. injection H as -> H. destruct (IH _ _ _ H) as [[z ->] | [z ->]]; [left | right]; exists z; reflexivity.
  Qed.

  (** Where the automaton breaks off at [u], what it read before is the maximal subpart. *)
  Lemma broken_is_unconvertible : forall held u rest s v,
    judge held = Open s v -> judge (held ++ [u]) = Broken -> unconvertible (held ++ u :: rest).
  Proof.
    intros held u rest s v O B units scalar more W E.
    replace (held ++ u :: rest) with ((held ++ [u]) ++ rest) in E by (rewrite <- app_assoc; reflexivity).
    destruct (two_beginnings _ _ _ _ E) as [[z ->] | [z Z]].
    - exact (begins_nothing _ B _ _ W).
    - destruct (exists_last (l := z)) as [z' [w ->]].
      + intros ->. rewrite app_nil_r in Z. subst units. apply accepts in W. congruence.
      + rewrite app_assoc in Z. apply app_inj_tail in Z as [-> _]. apply accepts in W.
        rewrite judge_app, W in O. destruct z'; discriminate.
  Qed.

  Lemma broken_is_maximal : forall held u rest s v,
    held <> [] -> judge held = Open s v -> judge (held ++ [u]) = Broken -> maximal_subpart held (held ++ u :: rest).
  Proof.
    intros held u rest s v N O B. split; [exists (u :: rest); reflexivity |]. split.
    - split; [exact N | left]. exact (completes _ _ _ N O).
    - intros other more E [_ [[z [scalar W]] | L]].
      + replace (held ++ u :: rest) with ((held ++ [u]) ++ rest) in E by (rewrite <- app_assoc; reflexivity).
        destruct (two_beginnings _ _ _ _ E) as [[y ->] | [y Y]].
        * rewrite <- app_assoc in W. exfalso. exact (begins_nothing _ B _ _ W).
        * destruct (exists_last (l := y)) as [y' [w ->]].
          -- intros ->. rewrite app_nil_r in Y. subst other. exfalso. exact (begins_nothing _ B _ _ W).
          -- rewrite app_assoc in Y. apply app_inj_tail in Y as [-> _]. rewrite app_length. lia.
      + destruct held; [contradiction | simpl; lia].
  Qed.

  Lemma open_is_unconvertible : forall held s v, judge held = Open s v -> unconvertible held.
  Proof.
    intros held s v O units scalar rest W ->. apply accepts in W. rewrite judge_app, W in O. destruct rest; discriminate.
  Qed.

  Lemma open_is_maximal : forall held s v, held <> [] -> judge held = Open s v -> maximal_subpart held held.
  Proof.
    intros held s v N O. split; [exists []; symmetry; apply app_nil_r |]. split.
    - split; [exact N | left]. exact (completes _ _ _ N O).
    - intros other rest -> _. rewrite app_length. lia.
  Qed.

  Lemma alone_is_maximal : forall u rest, judge [u] = Broken -> maximal_subpart [u] (u :: rest).
  Proof.
    intros u rest B. split; [exists rest; reflexivity |]. split.
    - split; [discriminate | right; reflexivity].
    - intros other more E [N [[z [scalar W]] | L]]; [| simpl; lia].
      destruct other as [| w other]; [contradiction |]. simpl in E. injection E as <- E.
      exfalso. exact (begins_nothing [u] B (other ++ z) scalar W).
  Qed.

  Lemma judge_one : forall u, judge [u] =
    match step start 0 u with
    | None => Broken | Some (None, v) => Whole v | Some (Some s, v) => Open s v
    end.
  Proof. intros u. unfold judge. simpl. destruct (step start 0 u) as [[[s |] v] |]; reflexivity. Qed.

  Lemma judge_more : forall held s v u, judge held = Open s v -> judge (held ++ [u]) =
    match step s v u with
    | None => Broken | Some (None, v') => Whole v' | Some (Some s', v') => Open s' v'
    end.
  Proof.
    intros held s v u O. rewrite judge_app, O. simpl. destruct (step s v u) as [[[s' |] v'] |]; reflexivity.
  Qed.

  Lemma decode_from_cons : forall m u rest,
    decode_from m (u :: rest) = let (m', items) := feed m u in items ++ decode_from m' rest.
  Proof.
    intros m u rest. unfold decode_from. simpl. destruct (feed m u) as [m1 i1]. destruct (feed_all m1 rest) as [m2 i2].
    symmetry. apply app_assoc.
  Qed.

  Lemma feed_held : forall held s v u, held <> [] -> feed (s, v, held) u =
    match step s v u with
    | None => let (m', items) := begin u in (m', Bad held :: items)
    | Some (None, v') => (fresh, [Good v' (held ++ [u])])
    | Some (Some s', v') => ((s', v', held ++ [u]), [])
    end.
  Proof. intros [| h held] s v u N; [contradiction | reflexivity]. Qed.

  Lemma decode_from_correct : forall rest,
    decodes rest (decode_from fresh rest) /\
    forall held s v, held <> [] -> judge held = Open s v -> decodes (held ++ rest) (decode_from (s, v, held) rest).
  Proof.
    induction rest as [| u rest [IHfresh IHheld]].
    - split; [constructor |]. intros held s v N O. unfold decode_from. simpl. destruct held; [contradiction |].
      apply decodes_subpart; [| | constructor]; rewrite app_nil_r;
        [eapply open_is_unconvertible | eapply open_is_maximal]; eauto.
    - assert (A : decodes (u :: rest) (decode_from fresh (u :: rest))).
      { rewrite decode_from_cons. unfold fresh at 1. unfold feed, begin. pose proof (judge_one u) as J.
        destruct (step start 0 u) as [[[s |] v] |].
        - apply (IHheld [u]); [discriminate | exact J].
        - apply (decodes_scalar [u]); [apply accepts; exact J | exact IHfresh].
        - apply (decodes_subpart [u]); [| apply alone_is_maximal; exact J | exact IHfresh].
          apply (broken_is_unconvertible [] u rest start 0); [reflexivity | exact J]. }
      split; [exact A |]. intros held s v N O. rewrite decode_from_cons. pose proof (judge_more held s v u O) as J.
      rewrite (feed_held _ _ _ _ N). destruct (step s v u) as [[[s' |] v'] |].
      + replace (held ++ u :: rest) with ((held ++ [u]) ++ rest) by (rewrite <- app_assoc; reflexivity).
        apply IHheld; [destruct held; discriminate | exact J].
      + replace (held ++ u :: rest) with ((held ++ [u]) ++ rest) by (rewrite <- app_assoc; reflexivity).
        apply decodes_scalar; [apply accepts; exact J | exact IHfresh].
      + rewrite decode_from_cons in A. change (feed fresh u) with (begin u) in A.
        destruct (begin u) as [m' items]. simpl.
        apply decodes_subpart;
          [eapply broken_is_unconvertible | eapply broken_is_maximal | exact A]; eauto.
  Qed.

  (** The decoder's items are those of the definition. *)
  Theorem decode_is_by_maximal_subparts : forall text, decodes text (decode text).
  Proof. intros text. apply decode_from_correct. Qed.

  Lemma parts_are_equal : forall a b text, maximal_subpart a text -> maximal_subpart b text -> a = b.
  Proof.
    intros a b text [[x Ea] [Ca Ma]] [[y Eb] [Cb Mb]]. pose proof (Ma _ _ Eb Cb). pose proof (Mb _ _ Ea Ca).
    rewrite Ea in Eb. destruct (two_beginnings _ _ _ _ Eb) as [[[| w z] ->] | [[| w z] ->]];
      rewrite ?app_nil_r in *; try reflexivity; rewrite app_length in *; simpl in *; lia.
  Qed.

  Lemma sequences_are_equal : forall a b x y m n,
    well_formed a m -> well_formed b n -> a ++ x = b ++ y -> a = b.
  Proof.
    intros a b x y m n Wa Wb E. destruct (two_beginnings _ _ _ _ E) as [[z ->] | [z ->]].
    - rewrite (well_formed_prefix_free _ _ _ _ Wa Wb). symmetry. apply app_nil_r.
    - rewrite (well_formed_prefix_free _ _ _ _ Wb Wa). apply app_nil_r.
  Qed.

  (** The definition leaves no choice: there is one way to decode a text. *)
  Theorem decodes_one_way : forall text a b, decodes text a -> decodes text b -> a = b.
  Proof.
    intros text a b D. revert b.
    induction D as [| units scalar rest items W D IH | part rest items U M D IH]; intros b E.
    - inversion E as [| units scalar rest items W D X | part rest items U M D X]; [reflexivity | |].
      + apply app_eq_nil in X as [-> _]. exfalso. exact (well_formed_not_empty _ W).
      + apply app_eq_nil in X as [-> _]. destruct M as [_ [[N _] _]]. contradiction.
    - inversion E as [X | units' scalar' rest' items' W' D' X | part rest' items' U M D' X].
      + symmetry in X. apply app_eq_nil in X as [-> _]. exfalso. exact (well_formed_not_empty _ W).
      + pose proof (sequences_are_equal _ _ _ _ _ _ W' W X) as ->. apply app_inv_head in X as ->.
        rewrite (well_formed_function _ _ _ W' W), (IH _ D'). reflexivity.
      + exfalso. rewrite X in U. exact (U _ _ _ W eq_refl).
    - inversion E as [X | units scalar rest' items' W D' X | part' rest' items' U' M' D' X].
      + symmetry in X. apply app_eq_nil in X as [-> _]. destruct M as [_ [[N _] _]]. contradiction.
      + exfalso. rewrite <- X in U. exact (U _ _ _ W eq_refl).
      + rewrite X in M'. pose proof (parts_are_equal _ _ _ M' M) as ->. apply app_inv_head in X as ->.
        rewrite (IH _ D'). reflexivity.
  Qed.

  (** No unit is lost or read twice. *)
  Theorem items_are_the_text : forall text, concat (map units_of (decode text)) = text.
  Proof.
    intros text. pose proof (decode_is_by_maximal_subparts text) as D.
    induction D as [| units scalar rest items W D IH | part rest items U M D IH]; simpl; [reflexivity | |];
      rewrite IH; reflexivity.
  Qed.

  (** ** Encoding, then decoding *)

  Theorem decode_of_encoded : forall encode : N -> list N, forall scalars,
    Forall (fun scalar => well_formed (encode scalar) scalar) scalars ->
    decode (concat (map encode scalars)) = map (fun scalar => Good scalar (encode scalar)) scalars.
  Proof.
    intros encode scalars F. apply (decodes_one_way (concat (map encode scalars)));
      [apply decode_is_by_maximal_subparts |].
    induction F; simpl; [constructor | apply decodes_scalar; assumption].
  Qed.

  (** ** The first error *)

  Lemma good_first : forall units scalar rest,
    well_formed units scalar -> decode (units ++ rest) = Good scalar units :: decode rest.
  Proof.
    intros units scalar rest W. apply (decodes_one_way (units ++ rest)); [apply decode_is_by_maximal_subparts |].
    apply decodes_scalar; [exact W | apply decode_is_by_maximal_subparts].
  Qed.

  (** A text without a first error is well-formed; otherwise all before the error is, and no sequence begins there. *)
  Theorem first_error_is_one : forall text,
    match first_error text with
    | None => well_formed_text text
    | Some offset => exists before behind,
        text = before ++ behind /\ length before = offset /\ well_formed_text before /\
        behind <> [] /\ unconvertible behind
    end.
  Proof.
    intros text. unfold first_error. pose proof (decode_is_by_maximal_subparts text) as D.
    induction D as [| units scalar rest items W D IH | part rest items U M D IH]; simpl.
    - constructor.
    - destruct (first_error_of items) as [offset |]; simpl.
      + destruct IH as [before [behind [-> [L [F [N U]]]]]]. exists (units ++ before), behind.
        rewrite app_assoc, app_length, L. repeat split; try assumption. exact (longer_text _ _ _ W F).
      + exact (longer_text _ _ _ W IH).
    - exists [], (part ++ rest). destruct M as [_ [[N _] _]].
      repeat split; [constructor | destruct part; [contradiction | discriminate] | exact U].
  Qed.

  (** It is the least: no error is before it. Whatever beginning of the text is well-formed ends there or earlier, and
      if it ends earlier, a well-formed sequence follows. *)
  Theorem first_error_is_the_least : forall before behind,
    well_formed_text before ->
    match first_error (before ++ behind) with
    | None => behind = [] \/ ~ unconvertible behind
    | Some offset => (length before <= offset)%nat /\
        ((length before < offset)%nat -> ~ unconvertible behind) /\
        (behind <> [] -> unconvertible behind -> offset = length before)
    end.
  Proof.
    intros before behind F. induction F as [| units scalar rest W F IH].
    - simpl. pose proof (first_error_is_one behind) as O. unfold first_error in *.
      pose proof (decode_is_by_maximal_subparts behind) as D.
      inversion D as [X Y | units scalar rest items W D' X Y | part rest items U M D' X Y]; simpl.
      + left. reflexivity.
      + assert (C : ~ unconvertible (units ++ rest)) by (intros U; exact (U _ _ _ W eq_refl)).
        destruct (first_error_of items); simpl; [| right; exact C].
        split; [lia |]. split; [intros _; exact C | intros _ U; contradiction].
      + split; [lia |]. split; [lia | intros; reflexivity].
    - unfold first_error in *. rewrite <- app_assoc, (good_first _ _ _ W). simpl. rewrite app_length.
      destruct (first_error_of (decode (rest ++ behind))); simpl; [| exact IH].
      destruct IH as [L [C E]]. split; [lia |]. split; [intros; apply C; lia |].
      intros N U. rewrite (E N U). reflexivity.
  Qed.

  (** ** All of it, for an encoding form

      [encode]: the form's sequence for each scalar value. *)
  Variable encode : N -> list N.

  Record correct : Prop := {
    is_by_maximal_subparts : forall text, decodes text (decode text);
    is_the_only_way : forall text a b, decodes text a -> decodes text b -> a = b;
    loses_no_unit : forall text, concat (map units_of (decode text)) = text;
    reads_what_is_encoded : forall scalars, Forall scalar_value scalars ->
      map replaced (decode (concat (map encode scalars))) = scalars;
    has_no_error_or_one : forall text,
      match first_error text with
      | None => well_formed_text text
      | Some offset => exists before behind,
          text = before ++ behind /\ length before = offset /\ well_formed_text before /\
          behind <> [] /\ unconvertible behind
      end;
    has_the_least_error : forall before behind, well_formed_text before ->
      match first_error (before ++ behind) with
      | None => behind = [] \/ ~ unconvertible behind
      | Some offset => (length before <= offset)%nat /\
          ((length before < offset)%nat -> ~ unconvertible behind) /\
          (behind <> [] -> unconvertible behind -> offset = length before)
      end;
    may_be_cut_anywhere : forall segments, decode_segments segments = decode (concat segments)
  }.

  Theorem is_correct : (forall s, scalar_value s -> well_formed (encode s) s) -> correct.
  Proof.
    intros encoded. split; intros.
    - apply decode_is_by_maximal_subparts.
    - eapply decodes_one_way; eassumption.
    - apply items_are_the_text.
    - rewrite (decode_of_encoded encode); [rewrite map_map; apply map_id | exact (Forall_impl _ encoded H)].
    - apply first_error_is_one.
    - apply first_error_is_the_least. assumption.
    - apply segments_change_nothing.
  Qed.
End Automaton.

(** ** Tactics for the tables of the encoding forms *)

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
