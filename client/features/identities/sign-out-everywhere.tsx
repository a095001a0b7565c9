import { Button, Group, List, Modal, Paper, Stack, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { endLoginSessions, revokeConsents } from '../../api/consents.ts';
import type { Identity } from '../../api/identities.ts';
import { endDashboardSessions } from '../../api/security.ts';
import { useOperator } from '../../api/session.ts';
import { identitySessionsQuery, revokeSessions } from '../../api/sessions.ts';
import { counted } from '../../lib/format-count.ts';
import { displayName } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { CONSENTS_STAY_REVOKED, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { StatusDot } from '../../ui/facts.tsx';
import { type Failure, FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { DeploymentBadge } from '../../ui/layout.tsx';
import classes from './identities.module.css';

/** Ends every kind of session, each with its own result and retry. */
export function SignOutEverywhere({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  const self = useOperator().identityId === identity.id;
  const [steps] = useState(() => signOutSteps(queryClient, identity.id));
  const { states, pending, run } = useSignOutRun(steps);
  const status = useRef<HTMLParagraphElement>(null);
  const begun = states.some((state) => state.status !== 'waiting');
  const failed = steps.filter((_, index) => states[index]?.status === 'failed');

  const start = (meant: readonly SignOutStep[]): void => {
    // The pressed button is disabled during the run and would lose focus.
    status.current?.focus();
    run(meant);
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={() => !pending && onClose()}
      title={visibleText(`Sign ${displayName(identity)} out everywhere?`)}
      closeButtonProps={{ 'aria-label': 'Close', disabled: pending }}
    >
      <Stack gap="md">
        <List spacing={4}>
          {self && <List.Item>This is you: your session in this dashboard ends as well.</List.Item>}
          <List.Item>
            The OAuth server is included if the OAuth subject is the identity’s id. If your login page uses another
            subject, revoke its consents on the Consents page.
          </List.Item>
          <List.Item>
            Applications with sessions of their own are not notified: they may continue until they next use a token.
          </List.Item>
          <List.Item>{SESSIONS_STAY_ENDED}</List.Item>
          <List.Item>{CONSENTS_STAY_REVOKED}</List.Item>
          <List.Item>The person can sign in again. To keep them out, deactivate the identity as well.</List.Item>
        </List>
        <Text ref={status} size="sm" fw={500} role="status" tabIndex={-1}>
          {formatSignOut(states)}
        </Text>
        <Paper withBorder>
          <ol className={classes.list} aria-label="Steps">
            {steps.map((step, index) => (
              <SignOutRow
                key={step.name}
                step={step}
                state={states[index] ?? { status: 'waiting' }}
                closed={pending}
                again={() => start([step])}
              />
            ))}
          </ol>
        </Paper>
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Group gap="xs" ml="auto">
            <Button variant="default" disabled={pending} onClick={onClose}>
              {begun ? 'Close' : 'Cancel'}
            </Button>
            {!begun && (
              <Button data-autofocus color="red.9" onClick={() => start(steps)}>
                Sign out everywhere
              </Button>
            )}
            {failed.length > 1 && (
              <Button disabled={pending} onClick={() => start(failed)}>
                Retry failed steps
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}

const DOTS = { waiting: 'off', running: 'warning', done: 'good', failed: 'bad' } as const;
const WORDS = { waiting: '', running: ', in progress', done: ', done', failed: ', failed' } as const;

/** A step and its result. @param closed whether its button is disabled */
export function SignOutRow(props: { step: SignOutStep; state: StepState; closed: boolean; again: () => void }) {
  const { step, state } = props;
  const { status } = state;
  return (
    <li className={classes.item}>
      <div>
        <StatusDot status={DOTS[status]}>
          <b>{step.name}</b>
          {WORDS[status]}
        </StatusDot>
        {status === 'failed' ? (
          <FailureNote error={state.error} />
        ) : (
          <Text size="xs" c="dimmed">
            {status === 'done' ? state.answer : step.about}
          </Text>
        )}
      </div>
      {(status === 'done' || status === 'failed') && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={props.closed}
          aria-label={`${status === 'done' ? 'Repeat' : 'Try again'}: ${step.name}`}
          onClick={props.again}
        >
          {status === 'done' ? 'Repeat' : 'Try again'}
        </Button>
      )}
    </li>
  );
}

/** Ends one kind of session. Can be repeated at any time. */
export interface SignOutStep {
  name: string;
  /** What it ends. */
  about: string;
  /** @returns the result as a sentence */
  run: () => Promise<string>;
}

/**
 * Every kind of session that this dashboard can end, ordered so that none can recreate one already ended: a session at
 * the identity service leads to a new login session, and that one to new consents and tokens.
 */
export const signOutSteps = (queryClient: QueryClient, identityId: string): readonly SignOutStep[] => [
  {
    name: 'Sessions at the identity service',
    about: 'In every browser and application where the person signed in.',
    run: async () => {
      const some = await revokeSessions(identityId);
      // A 404 may come from something else at that address, so check.
      const left = await queryClient.fetchInfiniteQuery({ ...identitySessionsQuery(identityId), staleTime: 0 });
      if (left.pages.some(({ rows }) => rows.some(({ active }) => active)))
        throw new Error('The identity service accepted the request, but some sessions are still active.');
      return some ? 'Ended.' : 'There were none.';
    },
  },
  {
    name: 'Login sessions at the OAuth server',
    about: 'The person must then sign in again before the OAuth server admits them to an application.',
    run: async () => {
      await endLoginSessions(identityId);
      return 'Ended, if there were any; the OAuth server does not say.';
    },
  },
  {
    name: 'Consents, with their tokens',
    about: 'Access and refresh tokens that applications have end at once.',
    run: async () => {
      const count = await revokeConsents(queryClient, identityId, 'all');
      if (count === 0) return 'There were none.';
      return count === undefined
        ? 'Revoked, and their tokens have ended.'
        : `${counted(count, 'consent is', 'consents are')} revoked, and their tokens have ended.`;
    },
  },
  {
    name: 'Sessions in this dashboard',
    about: 'If the person is an operator.',
    run: async () => {
      await endDashboardSessions(identityId);
      return 'Ended, if there were any.';
    },
  },
];

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

/** Progress, then whether the person may still be signed in somewhere. */
export function formatSignOut(states: readonly StepState[]): string {
  const count = (status: StepState['status']): number => states.filter((state) => state.status === status).length;
  const failed = count('failed');
  if (count('waiting') === states.length) return '';
  if (count('running') + count('waiting') > 0)
    return `Signing out: ${count('done') + failed} of ${states.length} steps complete.`;
  if (failed === 0) return `All ${states.length} steps are done.`;
  return `${failed} of ${states.length} steps failed: the person may still be signed in there. The others are done.`;
}
