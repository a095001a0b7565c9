import { Alert, Button, Group, Text } from '@mantine/core';
import { IconLogin } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../api/session.ts';
import { sessionStands, useSessionEnded } from '../api/session-end.ts';
import { goToSignIn } from '../api/sign-in.ts';

/** The session has ended under an open page: the page and what is typed into it stay. */
export function SessionEndedBanner() {
  const ended = useSessionEnded();
  const queryClient = useQueryClient();

  // Signed in again in another tab? Asked when the operator comes back here, and only while signed out.
  useEffect(() => {
    if (!ended) return;
    const ask = async (): Promise<void> => {
      const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.identityId;
      const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
      if (now === undefined) return;
      // Somebody else's session must not continue this operator's page.
      if (now.user.identityId !== before) location.reload();
      sessionStands();
      await queryClient.refetchQueries({ predicate: (query) => query.state.status === 'error' });
    };
    const onFocus = (): void => void ask();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [ended, queryClient]);

  if (!ended) return null;
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      icon={<IconLogin aria-hidden />}
      title="You are signed out"
      mb="md"
    >
      <Text size="sm">Your session has ended. This page stays as it is; sign in to go on here.</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={() => goToSignIn()}>
          Sign in
        </Button>
        <Button size="xs" variant="default" component="a" href="/api/auth/login" target="_blank" rel="noopener">
          Sign in in a new tab
        </Button>
      </Group>
    </Alert>
  );
}
