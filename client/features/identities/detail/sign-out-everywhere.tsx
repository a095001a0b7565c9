import { Button, Group, List, Modal, Paper, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Identity } from '../../../api/identities-record.ts';
import { useOperator } from '../../../api/session.ts';
import { displayName } from '../../../format/identity-name.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { DeploymentBadge } from '../../../ui/deployment-badge.tsx';
import { CONSENTS_STAY_REVOKED, SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { formatSignOut } from './format-sign-out.ts';
import classes from './plain-list.module.css';
import { SignOutRow } from './sign-out-row.tsx';
import { type SignOutStep, signOutSteps } from './sign-out-steps.ts';
import { useSignOutRun } from './use-sign-out-run.ts';

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
