import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { failureText } from './failure-text.ts';
import { PublicPage } from './public-page.tsx';

const route = getRouteApi('/sign-in-failed');

/** Where a failed sign-in ends. It must not require a session, or it would redirect in circles. */
export function SignInFailedPage() {
  const { reason } = route.useSearch();
  const { what, next, steps } = failureText(reason);
  return (
    <PublicPage title={reason === 'storage' ? 'Sign in' : 'Sign-in failed'}>
      <Text>{what}</Text>
      <Text c="dimmed" size="sm">
        {next}
      </Text>
      {steps !== undefined && (
        <ol style={{ margin: 0, paddingInlineStart: '1.25rem', fontSize: 'var(--mantine-font-size-sm)' }}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <Button component="a" href="/api/auth/login">
        {reason === 'storage' ? 'Sign in' : 'Sign in again'}
      </Button>
    </PublicPage>
  );
}
