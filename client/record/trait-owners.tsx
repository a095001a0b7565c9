import { Alert } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import type { KnownSchemas } from '../api/identity-schemas.ts';

/** The identity that already has a value. */
export interface Owner {
  id: string;
  name: string;
}

/** By the member's pointer: `/traits/email`, `/external_id`. */
export type Owners = Readonly<Record<string, Owner>>;

/** The owners of values in the form's fields. */
export const OwnersContext = createContext<Owners>({});

/** A link to the identity that has this value. It opens in a new tab, so that the draft stays. */
export function OwnerLink({ pointer }: { pointer: string }) {
  const owner = useContext(OwnersContext)[pointer];
  if (owner === undefined) return null;
  return (
    <a href={`/identities/${owner.id}`} target="_blank" rel="noopener">
      <bdi>{owner.name}</bdi> has it
    </a>
  );
}

/** A member's problem, with a link to the value's owner. */
export function useProblem(pointer: string, problem: string | undefined): ReactNode {
  const owners = useContext(OwnersContext);
  if (problem === undefined || owners[pointer] === undefined) return problem;
  return (
    <>
      {problem} <OwnerLink pointer={pointer} />
    </>
  );
}

/** The same for problems without a field. */
export const ExplainedProblem = ({ pointer, problem }: { pointer: string; problem: string }) =>
  useProblem(pointer, problem);

/** Warns that the list of schemas may be incomplete. */
export function SchemasIncomplete({ schemas, complete }: KnownSchemas) {
  if (complete) return null;
  return (
    <Alert variant="default" role="status" title="The identity service cannot list its schemas">
      Most likely the URL of one of them does not respond. These are used by identities and can be read:{' '}
      {schemas.map(({ id }) => id).join(', ')}.
    </Alert>
  );
}
