import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import { RequestError } from '../api/request.ts';
import { useCan, useOperator } from '../api/session.ts';
import { onLeaving } from '../lib/sign-in.ts';
import { forgetDraft, saveDraft, storedDraft } from '../lib/tab-storage.ts';
import { LinkButton, SmallButton } from '../ui/buttons.tsx';
import { useConfirmClose } from '../ui/confirm-leave.tsx';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { useFocusAfterRender, useScrollRoom, useSingleFlight } from '../ui/hooks.tsx';
import { GuardedPage } from '../ui/state-panel.tsx';
import type { MemberChange } from './member-changes.ts';
import classes from './record.module.css';
import { BackLink, type BackLinkProps } from './tabs.tsx';

/** Problems by JSON pointer: `/traits/email`. */
export type Problems = Readonly<Record<string, string>>;

export class DraftRefused extends Error {
  readonly problems: Problems;
  readonly isCertain: boolean;

  /** @param isCertain false if only the browser rejects the draft: the service may accept it */
  constructor(problems: Problems, isCertain: boolean) {
    super('The draft has problems.');
    this.name = 'DraftRefused';
    this.problems = problems;
    this.isCertain = isCertain;
  }
}

/** The part of a form that is specific to its resource. */
export interface RecordFormKind<Base, Draft> {
  /** Storage key of the draft during a sign-in. */
  storedAs: string;
  draftOf: (base: Base | null) => Draft;
  same: (a: Draft, b: Draft) => boolean;
  /** The draft without secrets, for storage; undefined if secrets cannot be excluded. */
  withoutSecrets: (draft: Draft) => Draft | undefined;
  /** Problems parsed from the message of a 400 error; undefined if it names no member. */
  problemsIn: (message: string) => Problems | undefined;
}

/**
 * The draft of a form, and its problems. Confirms before unsaved changes are lost, and restores them after a sign-in.
 * @param of the id of the record, or the kind of a new one
 * @param start the stored version; null for a new record
 * @param save validates and saves the draft. Rejects with `DraftRefused`, or with an error to display
 * @param save.unchecked skips the browser's validation at the operator's request
 * @param onClose closes the form if it is a dialog that is not in the URL
 * @param explain maps an error to problems of members, given those in its message; undefined if it names none
 */
export function useRecordForm<Base, Draft>(
  kind: RecordFormKind<Base, Draft>,
  options: {
    of: string;
    start: Base | null;
    save: (draft: Draft, base: Base | null, unchecked: boolean) => Promise<void>;
    onClose?: () => void;
    explain?: (
      error: RequestError,
      named: Problems | undefined,
      draft: Draft,
      base: Base | null,
    ) => Promise<Problems | undefined>;
  },
) {
  const { storedAs, draftOf, same, withoutSecrets, problemsIn } = kind;
  const { of, start, save, onClose = () => {}, explain = async (_error, named) => named } = options;
  const { identityId: operator } = useOperator();
  const [stored] = useState(() => storedDraft<Base, Draft>(storedAs, { operator, of }));
  const [base, setBase] = useState(stored?.base ?? start);
  const [draft, setDraft] = useState(() => stored?.draft ?? draftOf(base));
  const [version, setVersion] = useState(0);
  const [{ problems, isCertain }, setRefusal] = useState({ problems: {} as Problems, isCertain: true });
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const focusAfterRender = useFocusAfterRender();
  const form = useRef<HTMLFormElement>(null);
  const dirty = !same(draft, draftOf(base));
  const done = useRef(false);

  const { close, leaveDialog } = useConfirmClose(() => dirty && !done.current, onClose);
  const restored = stored !== undefined;
  useEffect(() => forgetDraft(storedAs), [storedAs]);
  useEffect(() => {
    if (!dirty) return;
    return onLeaving(() => {
      const safe = withoutSecrets(draft);
      if (safe !== undefined) saveDraft(storedAs, { operator, of, base, draft: safe });
      done.current = true;
    });
  }, [storedAs, withoutSecrets, operator, of, base, draft, dirty]);

  const refuse = (refusal: { problems: Problems; isCertain: boolean }): void => {
    setRefusal(refusal);
    focusAfterRender(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]'));
  };
  const fail = async (error: unknown): Promise<void> => {
    if (error instanceof DraftRefused) return refuse(error);
    const refused = error instanceof RequestError ? error : undefined;
    const named = refused?.status === 400 ? problemsIn(refused.message) : undefined;
    const found = refused && (await explain(refused, named, draft, base));
    if (found !== undefined) refuse({ problems: found, isCertain: true });
    else setFailure(error as Error);
  };
  const clearProblems = (): void => setRefusal({ problems: {}, isCertain: true });
  /** Runs a write while the form is pending, and assigns its errors to fields. */
  const attempt = (work: () => Promise<void>): void =>
    void run(async () => {
      // The draft has been saved and the page is about to close: do not save twice.
      if (done.current) return;
      clearProblems();
      setFailure(undefined);
      await work().catch(fail);
    });

  const submit = (): void => attempt(() => save(draft, base, false));

  return {
    formProps: {
      ref: form,
      noValidate: true,
      onSubmit(event: SyntheticEvent) {
        event.preventDefault();
        submit();
      },
    },
    draft,
    /** Changes when the values are replaced from outside. Use it as the key of the fields, to reset them. */
    version,
    problems,
    failure,
    pending,
    leaveDialog,
    /** Calls `onClose`, after confirmation if there are unsaved changes. */
    close,
    restored,
    change(part: Partial<Draft>) {
      setDraft((current) => ({ ...current, ...part }));
      clearProblems();
    },
    submit,
    /** Undefined unless only the browser found problems. */
    sendAnyway: isCertain ? undefined : (): void => attempt(() => save(draft, base, true)),
    attempt,
    /** Allows leaving the page without confirmation. */
    finish: () => {
      done.current = true;
    },
    /** Continues from a newer stored version with a new draft. */
    rebase(now: Base, changed: Draft) {
      setBase(now);
      setDraft(changed);
      setVersion((current) => current + 1);
    },
  };
}

/** Another record has the same unique value. The services report no other conflict. */
export const isTaken = (error: unknown): boolean =>
  error instanceof RequestError && error.status === 409 && error.code === 'upstream_error';

/** The frame of a form: fields, problems, and the confirmation for unsaved changes. */
export function RecordForm(props: {
  form: Pick<
    ReturnType<typeof useRecordForm>,
    'formProps' | 'problems' | 'failure' | 'leaveDialog' | 'restored' | 'sendAnyway'
  >;
  label: string;
  className?: string | undefined;
  /** Noun in a sentence: "identity". */
  what: string;
  /** Title of an error: `Not created`. */
  unsaved: string;
  nameOf: (pointer: string) => string;
  explain?: (pointer: string, text: string) => ReactNode;
  fields: ReactNode;
  children: ReactNode;
}) {
  const { unsaved, explain } = props;
  const { formProps, problems, failure, leaveDialog, restored, sendAnyway } = props.form;
  const entries = Object.entries(problems);
  return (
    <form {...formProps} aria-label={props.label} className={props.className ?? classes.form}>
      <Stack gap="md">
        {restored && <Alert variant="light" title="Your unsaved changes were restored" />}
        {props.fields}
        {/* Repeats the problems of the fields, which may be out of view or absent. */}
        {entries.length > 0 && (
          <Alert role="alert" color="red" variant="light" title={unsaved}>
            <Stack gap="xs">
              {entries.map(([pointer, text]) => (
                <Text key={pointer} size="sm">
                  <strong>{props.nameOf(pointer)}</strong>: {explain?.(pointer, text) ?? text}
                </Text>
              ))}
              {sendAnyway !== undefined && (
                <Group>
                  <SmallButton onClick={sendAnyway}>Send anyway</SmallButton>
                </Group>
              )}
            </Stack>
          </Alert>
        )}
        {failure !== undefined && (
          <FormFailure error={failure} title={isTaken(failure) ? `Taken by another ${props.what}` : unsaved} />
        )}
        {props.children}
      </Stack>
      {leaveDialog}
    </form>
  );
}

/** Why nothing was saved. Scrolls into view: the sticky buttons cover the end of a long form. */
export function FormFailure({ error, title }: { error: Failure; title: string }) {
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every failure
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div ref={panel}>
      <FailurePanel error={error} title={title} />
    </div>
  );
}

/**
 * The buttons of a form, which stick to the bottom of the screen while the form is visible.
 * @param submit label of the submit button; undefined for none
 * @param needs the capability to save, without which there is none either
 */
export function FormButtons(props: {
  cancel: LinkProps;
  submit: string | undefined;
  pending: boolean;
  needs?: Capability;
}) {
  const mayWrite = useCan()(props.needs ?? 'upstreams.write');
  const bar = useRef<HTMLDivElement>(null);
  useScrollRoom(bar, 'Bottom');
  return (
    <Group ref={bar} gap="xs" className={classes.buttons} data-unprinted>
      {props.submit !== undefined && mayWrite && (
        <Button type="submit" loading={props.pending}>
          {props.submit}
        </Button>
      )}
      <LinkButton variant="default" {...props.cancel}>
        Cancel
      </LinkButton>
    </Group>
  );
}

/** The page of a new record. @param back its list */
export function NewRecordPage(props: { title: string; about: string; back: BackLinkProps; children: ReactNode }) {
  const open = useCan()('upstreams.write');
  return (
    <>
      <BackLink {...props.back} />
      <GuardedPage open={open} title={props.title} about={open ? props.about : undefined}>
        <Stack gap="md" className={classes.form}>
          {props.children}
        </Stack>
      </GuardedPage>
    </>
  );
}

/** The problems of a member and its descendants. */
export const problemsAt = (problems: Problems, pointer: string): [pointer: string, text: string][] =>
  Object.entries(problems).filter(([at]) => at === pointer || at.startsWith(`${pointer}/`));

/** Leaves out problems that the stored version already has in unchanged members: they must not block other changes. */
export const problemsOfChanges = (found: Problems, stored: Problems, changes: readonly MemberChange[]): Problems =>
  Object.fromEntries(
    Object.entries(found).filter(
      ([pointer, text]) => stored[pointer] !== text || changes.some(({ path }) => `${pointer}/`.startsWith(`${path}/`)),
    ),
  );
