import { Alert, Button, Group, Text } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { goToSignIn, useSessionEnded } from '../lib/sign-in.ts';
import { isKept } from '../lib/tab-storage.ts';
import { IconLogin } from './shell-icons.tsx';

/** Shown once per page while the page stays as it is. */
export function SignedOutNotice() {
  return (
    <Alert role="alert" color="orange" variant="light" icon={<IconLogin size={24} />} title="You are signed out">
      <Group gap="sm" justify="space-between">
        <Text size="sm">Your session has ended. What you have typed stays; sign in to continue here.</Text>
        <WaysIn />
      </Group>
    </Alert>
  );
}

/** Shown while there is time to sign in again. @param at a time of day */
export function SessionEndsNotice({ at }: { at: string }) {
  return (
    <Alert role="status" icon={<IconLogin size={24} />}>
      <Group gap="sm" justify="space-between">
        <Text size="sm">Your session ends at {at}. What you have typed stays; sign in again to continue here.</Text>
        <WaysIn />
      </Group>
    </Alert>
  );
}

/**
 * Shown next to an action that failed for lack of a session, until there is one again. The notice on the page says how
 * to sign in; a dialog covers that notice, so this says it there.
 * @param title what was not done: `Not saved`
 * @param quiet the request was not the operator's action: the notice on the page is enough
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

/** Leaving this tab is offered only where what is typed can be stored until the operator is back. */
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
