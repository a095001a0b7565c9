import { Alert, Button, Group, Text } from '@mantine/core';
import { IconLogin } from '@tabler/icons-react';

/**
 * The session has ended under an open page or dialog, which stays as it is.
 * @param onSignIn leaves this page for sign-in and comes back to it; without it only a new tab is offered
 */
export function SignedOutNotice({ onSignIn }: { onSignIn?: () => void }) {
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      icon={<IconLogin aria-hidden />}
      title="You are signed out"
      mb="md"
    >
      <Text size="sm">Your session has ended. What you have typed stays; sign in to go on here.</Text>
      <Group gap="xs" mt="sm">
        {onSignIn !== undefined && (
          <Button size="xs" onClick={onSignIn}>
            Sign in
          </Button>
        )}
        <Button size="xs" variant="default" component="a" href="/api/auth/login" target="_blank" rel="noopener">
          Sign in in a new tab
        </Button>
      </Group>
    </Alert>
  );
}
