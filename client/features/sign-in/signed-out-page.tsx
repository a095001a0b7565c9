import { Alert, Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { SESSION_MAX_AGE_SECONDS } from '../../../shared/session.ts';
import { PublicPage } from './public-page.tsx';

const route = getRouteApi('/signed-out');
const HOURS = SESSION_MAX_AGE_SECONDS / 3_600;

export function SignedOutPage() {
  const { server } = route.useSearch();
  return (
    <PublicPage title="You are signed out">
      {server === 'away' ? (
        <Alert color="orange" variant="light" title="In this browser only">
          The service could not record the end of your session. It ends by itself within {HOURS} hours. If somebody else
          may have a copy of its cookie, ask an administrator to end your sessions.
        </Alert>
      ) : (
        <Text c="dimmed" size="sm">
          The next sign-in asks for your credentials again.
        </Text>
      )}
      <Button component="a" href="/api/auth/login">
        Sign in
      </Button>
    </PublicPage>
  );
}
