import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RequestError } from '../api/request.ts';
import { useOperator } from '../api/session.ts';
import { onLeaving } from '../lib/sign-in.ts';
import { forgetDraft, keepDraft, keptDraft } from '../lib/tab-storage.ts';
import { useConfirmLeave } from '../ui/confirm-leave.tsx';
import type { Failure } from '../ui/failure-panel.tsx';
import { useFocusAfterRender, useSingleFlight } from '../ui/hooks.tsx';
import type { MemberChange } from './edit-conflict.tsx';

/** What is specific to the form of one kind of resource. */
export interface RecordFormKind<Base, Draft> {
  /** Storage slot for a draft during a sign-in. */
  keptAs: string;
  draftOf: (base: Base | null) => Draft;
  same: (a: Draft, b: Draft) => boolean;
  /** The draft without secrets, for storage; undefined when that cannot be guaranteed. */
  keepable: (draft: Draft) => Draft | undefined;
  /** The members that a 400 error names; undefined if it names none. */
  problemsIn: (message: string) => Problems | undefined;
}

/**
 * A form's draft and its problems. Unsaved changes are guarded, and kept through a sign-in.
 * @param of the id of what is edited, or the kind of what is created
 * @param start the stored version; null for a new one
 * @param explain finds the members that caused an error, given those that the error itself names; undefined if it
 * cannot tell
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
  const { identityId: operator } = useOperator();
  const [kept] = useState(() => keptDraft<Base, Draft>(keptAs, { operator, of }));
  const [base, setBase] = useState(kept?.base ?? start);
  const [draft, setDraft] = useState(() => kept?.draft ?? draftOf(base));
  const [version, setVersion] = useState(0);
  const [problems, setProblems] = useState<Problems>({});
  const [checkedHere, setCheckedHere] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const focusAfterRender = useFocusAfterRender();
  const form = useRef<HTMLFormElement>(null);
  const dirty = !same(draft, draftOf(base));
  const done = useRef(false);

  const leaveDialog = useConfirmLeave(() => dirty && !done.current, 'changes');
  const restored = kept !== undefined;
  useEffect(() => {
    if (restored) forgetDraft(keptAs);
  }, [restored, keptAs]);
  useEffect(() => {
    if (!dirty) return;
    return onLeaving(() => {
      const safe = keepable(draft);
      if (safe !== undefined) keepDraft(keptAs, { operator, of, base, draft: safe });
      done.current = true;
    });
  }, [keptAs, keepable, operator, of, base, draft, dirty]);

  const refuse = (found: Problems, here: boolean): void => {
    setProblems(found);
    setCheckedHere(here);
    focusAfterRender(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]'));
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
    /** Changes whenever the form's values are replaced from outside: use it as a key to reset the fields. */
    version,
    dirty,
    problems,
    failure,
    pending,
    leaveDialog,
    restored,
    /** The problems were found by this browser alone: the service may disagree. */
    checkedHere,
    change(part: Partial<Draft>) {
      setDraft((current) => ({ ...current, ...part }));
      setProblems({});
    },
    refuse,
    /** Runs a write: sets pending, and shows errors at their fields. */
    attempt: (work: () => Promise<void>): void =>
      void run(async () => {
        setProblems({});
        setFailure(undefined);
        await work().catch(fail);
      }),
    /** Lets the page be left without asking. */
    finish: () => {
      done.current = true;
    },
    /** Continues from a newer stored version with another draft. */
    rebase(now: Base, changed: Draft) {
      setBase(now);
      setDraft(changed);
      setVersion((current) => current + 1);
    },
  };
}

/**
 * Lists the problems in addition to those at the fields: a field may be out of view, or there may be none.
 * @param title what was not done: `Not created`
 * @param explain renders more about a problem than its text
 * @param sendAnyway sends it regardless and lets the service decide; undefined when the problems are the service's own
 */
export function ProblemSummary(props: {
  title: string;
  problems: Problems;
  nameOf: (pointer: string) => string;
  explain?: (pointer: string, text: string) => ReactNode;
  sendAnyway: (() => void) | undefined;
}) {
  const { problems, explain, sendAnyway } = props;
  const entries = Object.entries(problems);
  if (entries.length === 0) return null;
  return (
    <Alert role="alert" color="red" variant="light" title={props.title}>
      <Stack gap="xs">
        {entries.map(([pointer, text]) => (
          <Text key={pointer} size="sm">
            <strong>{props.nameOf(pointer)}</strong>: {explain?.(pointer, text) ?? text}
          </Text>
        ))}
        {sendAnyway !== undefined && (
          <Group>
            <Button size="xs" variant="default" onClick={sendAnyway}>
              Send anyway
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/**
 * The problems without those that the stored version has as well, at members that are not replaced: what is not changed
 * never keeps something else from being saved.
 */
export const problemsOfChanges = (found: Problems, stored: Problems, changes: readonly MemberChange[]): Problems =>
  Object.fromEntries(
    Object.entries(found).filter(
      ([pointer, words]) =>
        stored[pointer] !== words || changes.some(({ path }) => `${pointer}/`.startsWith(`${path}/`)),
    ),
  );

/** Problems by JSON pointer: `/traits/email`. */
export type Problems = Readonly<Record<string, string>>;
