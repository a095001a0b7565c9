import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type IdentitySession, identitySessionsQuery, revokeSession } from '../../../api/identities-sessions.ts';
import { type Failure, FailureNote } from '../../../ui/failure-panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { toast } from '../../../ui/toasts.tsx';
import { useSingleFlight } from '../../../ui/use-single-flight.ts';
import { addressWithoutPort, deviceInWords } from '../../../wording/device-in-words.ts';
import { methodsInWords } from '../../../wording/sign-in-methods.ts';
import classes from './plain-list.module.css';

/** "Chrome on macOS · 203.0.113.7 · 2 hours ago", and how it was signed in. */
export function SessionRow({ identityId, session }: { identityId: string; session: IdentitySession }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const device = session.devices?.[0];
  const what = deviceInWords(device?.user_agent);

  const end = () =>
    run(async () => {
      setFailure(undefined);
      try {
        await revokeSession(session.id);
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identityId).queryKey });
        toast('The session is ended');
      } catch (error) {
        setFailure(error as Error);
      }
    });

  return (
    <li className={classes.item} data-ended={!session.active || undefined}>
      <div>
        <Text size="sm" fw={500} title={device?.user_agent ?? undefined}>
          {what}
          {' · '}
          {addressWithoutPort(device?.ip_address) ?? 'address not known'}
          {' · '}
          <RelativeTime at={session.authenticated_at} />
        </Text>
        <Text size="xs" c="dimmed">
          {methodsInWords(session.authentication_methods)}
          {session.active ? (
            <>
              {' · ends '}
              <RelativeTime at={session.expires_at} />
            </>
          ) : (
            ' · no longer active'
          )}
        </Text>
        <FailureNote error={failure} />
      </div>
      {session.active && (
        <Button
          size="compact-sm"
          variant="default"
          loading={pending}
          aria-label={`End the session of ${what}`}
          onClick={() => void end()}
        >
          End
        </Button>
      )}
    </li>
  );
}
