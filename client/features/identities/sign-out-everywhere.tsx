import { Box, Button, Group, List, Paper, Stack, Text } from '@mantine/core';
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
import { Modal } from '../../ui/modal.tsx';

/** Ends every kind of session. Each kind has its own result and retry. */
export function SignOutEverywhere({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  const self = useOperator().identityId === identity.id;
  const [steps, setSteps] = useState<readonly Step[]>(() =>
    stepsFor(queryClient, identity.id).map((step) => ({ ...step, status: 'waiting' })),
  );
  const { run, pending } = useSingleFlight();
  const status = useRef<HTMLParagraphElement>(null);
  const started = steps.some((step) => step.status !== 'waiting');
  const failed = steps.filter((step) => step.status === 'failed');

  const update = (name: string, change: Partial<Step>): void =>
    setSteps((before) => before.map((step) => (step.name === name ? { ...step, ...change } : step)));
  /** Runs the steps in sequence; a failed step does not stop the next. */
  const start = (chosen: readonly Step[]): void => {
    // The pressed button is disabled during the run and would lose focus.
    status.current?.focus();
    void run(async () => {
      for (const { name } of chosen) update(name, { status: 'waiting' });
      for (const step of chosen) {
        update(step.name, { status: 'running' });
        await step.run().then(
          (result) => update(step.name, { status: 'done', result }),
          (error: Failure) => update(step.name, { status: 'failed', error }),
        );
      }
    });
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
          {formatProgress(steps)}
        </Text>
        <Paper withBorder>
          <ol data-rows aria-label="Steps">
            {steps.map((step) => (
              <StepRow key={step.name} step={step} disabled={pending} onRetry={() => start([step])} />
            ))}
          </ol>
        </Paper>
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Group gap="xs" ml="auto">
            <Button variant="default" disabled={pending} onClick={onClose}>
              {started ? 'Close' : 'Cancel'}
            </Button>
            {!started && (
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

/** Describes the progress, then whether the person may still be signed in somewhere. */
function formatProgress(steps: readonly Step[]): string {
  const count = (status: Step['status']): number => steps.filter((step) => step.status === status).length;
  const failed = count('failed');
  if (count('waiting') === steps.length) return '';
  if (count('running') + count('waiting') > 0)
    return `Signing out: ${count('done') + failed} of ${steps.length} steps complete.`;
  if (failed === 0) return `All ${steps.length} steps are done.`;
  return `${failed} of ${steps.length} steps failed: the person may still be signed in there. The others are done.`;
}

/** Ends one kind of session. Safe to repeat. */
interface Step {
  name: string;
  /** Describes the sessions that this step ends. */
  about: string;
  /** @returns the result as a sentence */
  run: () => Promise<string>;
  status: 'waiting' | 'running' | 'done' | 'failed';
  result?: string;
  error?: Failure;
}

const DOTS = { waiting: 'off', running: 'warning', done: 'good', failed: 'bad' } as const;
const WORDS = { waiting: '', running: ', in progress', done: ', done', failed: ', failed' };
const AGAIN = { waiting: undefined, running: undefined, done: 'Repeat', failed: 'Try again' };

function StepRow({ step, disabled, onRetry }: { step: Step; disabled: boolean; onRetry: () => void }) {
  const { name, status } = step;
  const again = AGAIN[status];
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 12rem" miw={0}>
        <StatusDot status={DOTS[status]}>
          <b>{name}</b>
          {WORDS[status]}
        </StatusDot>
        {status === 'failed' ? (
          <FailureNote error={step.error} />
        ) : (
          <Text size="xs" c="dimmed">
            {status === 'done' ? step.result : step.about}
          </Text>
        )}
      </Box>
      {again !== undefined && (
        <Button size="xs" variant="default" disabled={disabled} aria-label={`${again}: ${name}`} onClick={onRetry}>
          {again}
        </Button>
      )}
    </Group>
  );
}

/**
 * All kinds of sessions that the dashboard can end, ordered so that no remaining session can recreate an ended session:
 * a Kratos session leads to new Hydra login sessions, and a login session leads to new consents and tokens.
 */
const stepsFor = (queryClient: QueryClient, identityId: string): Pick<Step, 'name' | 'about' | 'run'>[] => [
  {
    name: 'Sessions at the identity service',
    about: 'In every browser and application where the person signed in.',
    run: async () => {
      const found = await revokeSessions(identityId);
      // A 404 may come from a proxy or another service, so check.
      const left = await queryClient.fetchInfiniteQuery({ ...identitySessionsQuery(identityId), staleTime: 0 });
      if (left.pages.some(({ rows }) => rows.some(({ active }) => active)))
        throw new Error('The identity service accepted the request, but some sessions are still active.');
      return found ? 'Ended.' : 'There were none.';
    },
  },
  {
    name: 'Login sessions at the OAuth server',
    about: 'The person has to sign in again before the OAuth server lets them into an application.',
    run: async () => {
      await endLoginSessions(identityId);
      return 'Ended, if there were any. The OAuth server does not tell.';
    },
  },
  {
    name: 'Consents, with their tokens',
    about: 'Access and refresh tokens of applications end at once.',
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
