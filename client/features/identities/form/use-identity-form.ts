import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { JsonSchema } from '../../../api/identity-schemas.ts';
import { RequestError } from '../../../api/request-error.ts';
import { onLeavingForSignIn } from '../../../session/sign-in.ts';
import type { Failure } from '../../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/use-single-flight.ts';
import type { IdentityDocument } from './identity-document.ts';
import { draftOf, type IdentityDraft, membersIn, sameDraft } from './identity-draft.ts';
import { type KeptDraft, keepDraft, takeDraft } from './kept-draft.ts';
import { schemaProblems } from './schema-problems.ts';
import { findOwners, type Owners } from './taken.ts';
import { type Problems, problemsIn } from './upstream-reasons.ts';

export type IdentityFormState = ReturnType<typeof useIdentityForm>;

export type Members = Omit<IdentityDocument, 'schema_id' | 'state'>;

/**
 * A form's draft with what was found wrong in it, guarded against being left unsaved and kept over a sign-in.
 * @param of the identity's id, or the schema of a new one
 * @param start what stands stored; null for a new one
 * @param save rejects with what the form is to show
 */
export function useIdentityForm(options: {
  of: string;
  start: IdentityDocument | null;
  schema: JsonSchema | undefined;
  save: (members: Members) => Promise<void>;
}) {
  const { of, schema } = options;
  const [kept] = useState(() => takeDraft(of));
  const [base, setBase] = useState(kept?.base ?? options.start);
  const [draft, setDraft] = useState(kept?.draft ?? draftOf(base ?? EMPTY));
  const [version, setVersion] = useState(0);
  const [problems, setProblems] = useState<Problems>({});
  const [owners, setOwners] = useState<Owners>({});
  const [checkedHere, setCheckedHere] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const form = useRef<HTMLFormElement>(null);
  const dirty = !sameDraft(draft, draftOf(base ?? EMPTY));
  const done = useRef(false);

  const blocker = useBlocker({
    shouldBlockFn: () => dirty && !done.current,
    enableBeforeUnload: () => dirty && !done.current,
    withResolver: true,
  });
  useEffect(() => {
    if (!dirty) return;
    return onLeavingForSignIn(() => {
      keepDraft({ of, base, draft } satisfies KeptDraft);
      done.current = true;
    });
  }, [of, base, draft, dirty]);

  const refuse = (found: Problems, here: boolean): void => {
    setProblems(found);
    setCheckedHere(here);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const fail = async (error: unknown): Promise<void> => {
    if (error instanceof RequestError && error.code === 'not_authenticated') return;
    if (error instanceof RequestError && error.status === 409) {
      const sent = membersIn(draft, base?.external_id);
      const found = 'members' in sent ? await findOwners(sent.members, schema, of) : {};
      setOwners(found);
      if (Object.keys(found).length > 0) return refuse(takenAt(found), false);
    }
    const found = error instanceof RequestError && error.status === 400 ? problemsIn(error.message) : undefined;
    if (found !== undefined) refuse(found, false);
    else setFailure(error as Error);
  };
  const attempt = (work: () => Promise<void>): void =>
    void run(async () => {
      setProblems({});
      setOwners({});
      setFailure(undefined);
      await work().catch(fail);
    });
  const submit = (unchecked: boolean): void =>
    attempt(async () => {
      const result = membersIn(draft, base?.external_id);
      if ('problems' in result) return refuse(result.problems, false);
      const found = unchecked || schema === undefined ? {} : schemaProblems(schema, result.members.traits);
      if (Object.keys(found).length > 0) return refuse(found, true);
      await options.save(result.members);
    });

  return {
    form,
    base,
    draft,
    /** Another one for other members in the form: its fields begin anew with it. */
    version,
    dirty,
    problems,
    owners,
    failure,
    pending,
    blocker,
    restored: kept !== undefined,
    change(part: Partial<IdentityDraft>) {
      setDraft((current) => ({ ...current, ...part }));
      setProblems({});
      setOwners({});
    },
    submit: () => submit(false),
    /** Only for problems that this browser alone has found. */
    sendAnyway: checkedHere ? () => submit(true) : undefined,
    /** Something else that writes: pending, and refused at its fields, as the form itself. */
    attempt,
    /** From here on the form may be left. */
    finish: () => {
      done.current = true;
    },
    /** Goes on from another stored version, with other members in the form. */
    rebase(document: IdentityDocument, members: Members) {
      setBase(document);
      setDraft(draftOf(members));
      setVersion((current) => current + 1);
    },
  };
}

const takenAt = (owners: Owners): Problems =>
  Object.fromEntries(Object.keys(owners).map((pointer) => [pointer, 'Taken by another identity.']));

const EMPTY: Members = { traits: {}, metadata_public: null, metadata_admin: null };
