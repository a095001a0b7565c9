import { Alert, Button, Group, Text } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { goToSignIn, useSessionEnded } from '../lib/sign-in.ts';
import { canStore } from '../lib/tab-storage.ts';
import { IconLogin } from './shell-icons.tsx';

/** Render once per page. @param endsAt time of day at which the session ends; undefined once it has ended */
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
        Your session {endsAt === undefined ? 'has ended' : `ends at ${endsAt}`}. Sign in
        {endsAt !== undefined && ' again'} to continue; what you have typed is kept, except secrets.
      </Text>
      <SignInButtons />
    </Group>
  </Alert>
);

/**
 * For an action that failed because the session had ended. Disappears once the operator has signed in again. Inside a
 * dialog, which covers the page's notice, offers sign-in.
 * @param title the failed action: `Not saved`
 * @param quiet for a request that the operator did not start: the page's notice is enough
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
        {title}: your session has ended. Sign in, then try again. What you have typed is kept, except secrets.
      </Text>
      {inDialog && <SignInButtons />}
    </Alert>
  );
}

/** Offers sign-in in this tab only if its storage can keep drafts until the operator returns. */
const SignInButtons = () => (
  <Group gap="xs" mt={4}>
    {canStore() && (
      <Button size="xs" onClick={() => goToSignIn()}>
        Sign in
      </Button>
    )}
    <Button size="xs" variant="default" component="a" href="/api/auth/login" target="_blank" rel="noopener">
      Sign in (new tab)
    </Button>
  </Group>
);
