import { createContext, type ReactNode, useContext } from 'react';

/** Who has what somebody else was to get. */
export interface Owner {
  id: string;
  name: string;
}

/** By the pointer of the member: `/traits/email`, `/external_id`. */
export type Owners = Readonly<Record<string, Owner>>;

/** Who has what stands in the form's fields. */
export const OwnersContext = createContext<Owners>({});

/** To whoever has what stands in this member; the draft stays, for the link opens beside it. */
export function OwnerLink({ pointer }: { pointer: string }) {
  const owner = useContext(OwnersContext)[pointer];
  if (owner === undefined) return null;
  return (
    <a href={`/identities/${owner.id}`} target="_blank" rel="noopener">
      <bdi>{owner.name}</bdi> has it
    </a>
  );
}

/** What is wrong with a member, with the way to whoever has it. */
export function useProblem(pointer: string, problem: string | undefined): ReactNode {
  const owners = useContext(OwnersContext);
  if (problem === undefined || owners[pointer] === undefined) return problem;
  return (
    <>
      {problem} <OwnerLink pointer={pointer} />
    </>
  );
}

/** The same, where no field shows it. */
export const ExplainedProblem = ({ pointer, problem }: { pointer: string; problem: string }) =>
  useProblem(pointer, problem);
