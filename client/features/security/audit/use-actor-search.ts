import { useEffect, useRef, useState } from 'react';
import { findOperator } from '../../../api/operator-names.ts';
import { useRefusal } from '../../../api/session.ts';

/** Resolves the field "Who": an e-mail address is looked up, since records are filtered by id. */
export function useActorSearch() {
  const asking = useRef<AbortController>(undefined);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refusal = useRefusal('operators.read');
  // An answer that arrives after the operator has left must not navigate.
  useEffect(() => () => asking.current?.abort(), []);

  const startOver = (): void => {
    asking.current?.abort();
    setPending(false);
    setProblem(undefined);
  };
  /** @param look is given the id, unless another search starts before it is known */
  async function withActor(typed: string, look: (actor: string) => void): Promise<void> {
    startOver();
    if (!typed.includes('@')) return look(typed);
    if (refusal !== undefined) return setProblem(`${refusal} An identity id works.`);
    asking.current = new AbortController();
    const { signal } = asking.current;
    setPending(true);
    const found = await findOperator(typed.trim(), signal).then(
      (operator) => operator?.identity_id ?? { problem: 'No operator signs in with this address.' },
      () => ({ problem: 'The operators’ store is unavailable. An identity id works without it.' }),
    );
    if (signal.aborted) return;
    setPending(false);
    if (typeof found === 'string') look(found);
    else setProblem(found.problem);
  }
  return { pending, problem, startOver, withActor };
}
