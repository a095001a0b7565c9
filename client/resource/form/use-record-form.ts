import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { RequestError } from '../../api/request-error.ts';
import { onLeaving } from '../../session/leaving.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { useFocusWhenDrawn } from '../../ui/hooks/use-focus-when-drawn.ts';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { forgetDraft, type KeptDraft, keepDraft, keptDraft } from './kept-draft.ts';
import type { Problems } from './problems.ts';

/** What is particular to the form of one kind of resource. */
export interface RecordFormKind<Base, Draft> {
  /** Where a draft waits while its operator signs in again. */
  keptAs: string;
  draftOf: (base: Base | null) => Draft;
  same: (a: Draft, b: Draft) => boolean;
  /** The draft as it may be kept: without secrets; undefined where that cannot be told. */
  keepable: (draft: Draft) => Draft | undefined;
  /** The members that a refusal with status 400 names; undefined where it names none. */
  problemsIn: (message: string) => Problems | undefined;
}

/**
 * A form's draft with what was found wrong in it, guarded against being left unsaved and kept over a sign-in.
 * @param of the id of what is edited, or what kind of thing is made
 * @param start what stands stored; null for a new one
 * @param explain the members at fault in a refusal, of which those are given that it names itself; undefined where that
 * cannot be told
 */
export function useRecordForm<Base, Draft>(
  kind: RecordFormKind<Base, Draft>,
  of: string,
  start: Base | null,
  explain: (
    error: RequestError,
    named: Problems | undefined,
    draft: Draft,
    base: Base | null,
  ) => Promise<Problems | undefined> = async (_error, named) => named,
) {
  const { keptAs, draftOf, same, keepable, problemsIn } = kind;
  const [kept] = useState(() => keptDraft<Base, Draft>(keptAs, of));
  const [base, setBase] = useState(kept?.base ?? start);
  const [draft, setDraft] = useState(() => kept?.draft ?? draftOf(base));
  const [version, setVersion] = useState(0);
  const [problems, setProblems] = useState<Problems>({});
  const [checkedHere, setCheckedHere] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const focusWhenDrawn = useFocusWhenDrawn();
  const form = useRef<HTMLFormElement>(null);
  const dirty = !same(draft, draftOf(base));
  const done = useRef(false);

  const blocker = useBlocker({
    shouldBlockFn: () => dirty && !done.current,
    enableBeforeUnload: () => dirty && !done.current,
    withResolver: true,
  });
  const restored = kept !== undefined;
  useEffect(() => {
    if (restored) forgetDraft(keptAs);
  }, [restored, keptAs]);
  useEffect(() => {
    if (!dirty) return;
    return onLeaving(() => {
      const safe = keepable(draft);
      if (safe !== undefined) keepDraft(keptAs, { of, base, draft: safe } satisfies KeptDraft<Base, Draft>);
      done.current = true;
    });
  }, [keptAs, keepable, of, base, draft, dirty]);

  const refuse = (found: Problems, here: boolean): void => {
    setProblems(found);
    setCheckedHere(here);
    focusWhenDrawn(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]'));
  };
  const fail = async (error: unknown): Promise<void> => {
    const refused = error instanceof RequestError ? error : undefined;
    const named = refused?.status === 400 ? problemsIn(refused.message) : undefined;
    const found = refused && (await explain(refused, named, draft, base));
    if (found !== undefined) refuse(found, false);
    else setFailure(error as Error);
  };

  return {
    form,
    base,
    draft,
    /** Another one for other members in the form: its fields start over with it. */
    version,
    dirty,
    problems,
    failure,
    pending,
    blocker,
    restored,
    /** The problems are of this browser's own finding: the service may see it differently. */
    checkedHere,
    change(part: Partial<Draft>) {
      setDraft((current) => ({ ...current, ...part }));
      setProblems({});
    },
    refuse,
    /** Something that writes: pending, and refused at its fields. */
    attempt: (work: () => Promise<void>): void =>
      void run(async () => {
        setProblems({});
        setFailure(undefined);
        await work().catch(fail);
      }),
    /** From here on the form may be left. */
    finish: () => {
      done.current = true;
    },
    /** Goes on from another stored version, with another draft in the form. */
    rebase(now: Base, changed: Draft) {
      setBase(now);
      setDraft(changed);
      setVersion((current) => current + 1);
    },
  };
}
