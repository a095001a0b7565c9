import { useState } from 'react';
import type { Failure } from '../../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';
import type { SignOutStep } from './sign-out-steps.ts';

export type StepState =
  | { status: 'waiting' | 'running' }
  | { status: 'done'; answer: string }
  | { status: 'failed'; error: Failure };

/** Runs steps one after the other; a failure does not stop the others. */
export function useSignOutRun(steps: readonly SignOutStep[]): {
  states: readonly StepState[];
  pending: boolean;
  /** @param meant the steps to run */
  run: (meant: readonly SignOutStep[]) => void;
} {
  const [states, setStates] = useState<readonly StepState[]>(() => steps.map(() => ({ status: 'waiting' })));
  const { run, pending } = useSingleFlight();
  const set = (step: SignOutStep, state: StepState): void =>
    setStates((before) => before.map((other, index) => (steps[index] === step ? state : other)));
  return {
    states,
    pending,
    run: (meant) =>
      void run(async () => {
        for (const step of meant) set(step, { status: 'waiting' });
        for (const step of meant) {
          set(step, { status: 'running' });
          await step.run().then(
            (answer) => set(step, { status: 'done', answer }),
            (error: Failure) => set(step, { status: 'failed', error }),
          );
        }
      }),
  };
}
