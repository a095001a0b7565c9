import { Alert, Button, Group, Text } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { goToSignIn, useSessionEnded } from '../lib/sign-in.ts';
import { isKept } from '../lib/tab-storage.ts';
import { IconLogin } from './shell-icons.tsx';

/** Render once per page. @param endsAt a time of day, in the last minutes of a session; undefined once it has ended */
export const SessionNotice = ({ endsAt }: { endsAt?: string }) => (
  <Alert
    role={endsAt === undefined ? 'alert' : 'status'}
    color={endsAt === undefined ? 'orange' : undefined}
    variant="light"
    icon={<IconLogin size={24} />}
    title={endsAt === undefined && 'You are signed out'}
  >
    <Group gap="sm" justify="space-between">
      <Text size="sm">
        Your session {endsAt === undefined ? 'has ended' : `ends at ${endsAt}`}. What you have typed stays; sign in
        {endsAt !== undefined && ' again'} to continue here.
      </Text>
      <WaysIn />
    </Group>
  </Alert>
);

/**
 * For an action that failed without a session, until the operator signs in again. A dialog covers the notice on the
 * page, so inside a dialog this explains how to sign in.
 * @param title the failed action: `Not saved`
 * @param quiet the request was not the operator's action, so the notice on the page is enough
 */
export function SignedOutNote({ title, quiet = false }: { title: string; quiet?: boolean }) {
  const ended = useSessionEnded();
  const note = useRef<HTMLDivElement & HTMLParagraphElement>(null);
  const [inDialog, setInDialog] = useState(false);
  useLayoutEffect(() => setInDialog(note.current?.closest('[role=dialog], dialog') != null), []);
  if (!ended) return null;
  if (quiet && !inDialog)
    return (
      <Text ref={note} size="sm" c="dimmed">
        {title}: your session has ended.
      </Text>
    );
  return (
    <Alert ref={note} role="alert" color="orange" variant="light" icon={<IconLogin size={24} />}>
      <Text size="sm">
        {title}: your session has ended. {inDialog ? 'You are signed out; sign' : 'Sign'} in, then try again. What you
        have typed stays.
      </Text>
      {inDialog && <WaysIn />}
    </Alert>
  );
}

/** Offers to leave this tab only if its storage can preserve drafts until the operator returns. */
const WaysIn = () => (
  <Group gap="xs" mt={4}>
    {isKept() && (
      <Button size="xs" onClick={() => goToSignIn()}>
        Sign in
      </Button>
    )}
    <Button size="xs" variant="default" component="a" href="/api/auth/login" target="_blank" rel="noopener">
      Sign in in a new tab
    </Button>
  </Group>
);
