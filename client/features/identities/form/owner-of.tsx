import { createContext, type ReactNode, useContext } from 'react';
import type { Owners } from './taken.ts';

/** Who has what stands in the form's fields. */
export const OwnersContext = createContext<Owners>({});

/** What is wrong with a member, with the way to whoever has it. The draft stays: the link opens beside it. */
export function useProblem(pointer: string, problem: string | undefined): ReactNode {
  const owner = useContext(OwnersContext)[pointer];
  if (problem === undefined || owner === undefined) return problem;
  return (
    <>
      {problem}{' '}
      <a href={`/identities/${owner.id}`} target="_blank" rel="noopener">
        <bdi>{owner.name}</bdi> has it
      </a>
    </>
  );
}

/** The same, where no field shows it. */
export const ExplainedProblem = ({ pointer, problem }: { pointer: string; problem: string }) =>
  useProblem(pointer, problem);
