import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SESSION_MAX_AGE_SECONDS, type SignInFailure } from '../../shared/session.ts';
import { apiKeySetting, identityService } from '../../shared/upstreams.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { deployment, usesOpenId } from '../deployment.ts';
import { DeploymentBadge, Dimmed, usePageTitle } from '../ui/layout.tsx';

/** The frame of public pages: a centred card with the deployment's name. */
export function PublicPage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <Stack component="main" align="center" justify="center" gap="lg" mih="100dvh" px="md" pt="lg" pb="15vh">
      <DeploymentBadge />
      <Paper withBorder p="xl" w="100%" maw="28rem">
        <Stack gap="md">
          <Title order={1} data-page-heading tabIndex={-1}>
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Stack>
  );
}

const LOGIN = '/api/auth/login';

const failedRoute = getRouteApi('/sign-in-failed');

/** Where failed sign-ins end. Must not require a session, or it would redirect in a loop. */
export function SignInFailedPage() {
  const { reason } = failedRoute.useSearch();
  const { what, next, steps } = failureText(reason);
  return (
    <PublicPage title={reason === 'storage' ? 'Sign in' : 'Sign-in failed'}>
      <Text>{what}</Text>
      <Dimmed>{next}</Dimmed>
      {steps !== undefined && (
        <ol style={{ margin: 0, paddingInlineStart: '1.25rem', fontSize: 'var(--mantine-font-size-sm)' }}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <Button component="a" href={LOGIN}>
        {reason === 'storage' ? 'Sign in' : 'Sign in again'}
      </Button>
      {usesOpenId() && ABOUT_ACCOUNT.test(reason ?? '') && (
        <Button
          variant="default"
          onClick={() =>
            void signOut()
              .catch(() => {})
              .then(() => location.assign(LOGIN))
          }
        >
          Use another account
        </Button>
      )}
    </PublicPage>
  );
}

const signedOutRoute = getRouteApi('/signed-out');
const HOURS = SESSION_MAX_AGE_SECONDS / 3_600;

export function SignedOutPage() {
  const { server, provider } = signedOutRoute.useSearch();
  // The address may be opened from the history, or after a sign-in in another tab.
  const { data: session } = useQuery(sessionQuery);
  if (session !== undefined)
    return (
      <PublicPage title="You are signed in">
        <Dimmed>As {session.user.email}.</Dimmed>
        <Button component="a" href="/dashboard">
          Go to the overview
        </Button>
      </PublicPage>
    );
  return (
    <PublicPage title="You are signed out">
      {server === 'away' ? (
        <Alert color="orange" variant="light" title="Signed out in this browser only">
          The service could not record your sign-out. Your session expires within {HOURS} hours. If somebody else may
          have a copy of your session cookie, ask an administrator to end your sessions.
        </Alert>
      ) : (
        provider === undefined && <Dimmed>You will be asked for your credentials the next time you sign in.</Dimmed>
      )}
      {provider === 'continues' && (
        <Text>Your session at the sign-in service continues. On a shared computer, sign out there too.</Text>
      )}
      <Button component="a" href={LOGIN}>
        Sign in
      </Button>
    </PublicPage>
  );
}

interface FailureText {
  what: string;
  next: string;
  steps?: readonly string[];
}

/** Another account may help. The provider would choose the same one again without a sign-out. */
const ABOUT_ACCOUNT = /^(?:no_role|no_identity|no_email|email_unverified|groups_overage|inactive)$/;

/** Reasons from the server, and `storage` from `goToSignIn`. */
const TEXTS: Record<SignInFailure | 'storage', FailureText> = {
  no_role: {
    what: 'Your account is not allowed to use this dashboard.',
    next: 'Ask your administrator for a role, then sign in again.',
  },
  no_identity: {
    what: 'No single person here matches your account.',
    next: 'Ask your administrator to check that exactly one person has its e-mail address, in ASCII characters, or the id that the sign-in service sends. Then sign in again.',
  },
  email_unverified: {
    what: 'The sign-in service does not confirm that your e-mail address is verified.',
    next: 'Verify the address there, then sign in again. If it is verified, ask your administrator to let the sign-in service send that with each sign-in.',
  },
  groups_overage: {
    what: 'You are in too many groups: the sign-in service leaves them out, and with them your role.',
    next: 'Your administrator can resolve this in one of two ways. Then sign in again.',
    steps: [
      'At the sign-in service, send only the groups that are assigned to this application.',
      'Or assign you an application role there, and read that: OPERATOR_ROLE_CLAIM=/roles.',
    ],
  },
  no_email: {
    what: 'Your account has no e-mail address, which this dashboard needs to identify you.',
    next: 'Ask your administrator to add one, then sign in again.',
  },
  denied: {
    what: 'The sign-in request was declined.',
    next: 'To use the dashboard, sign in again and allow it to see who you are.',
  },
  provider_refused: {
    what: 'The sign-in service rejected this sign-in.',
    next: 'It may have expired or been used already. Sign in again; if that keeps failing, contact your administrator: the log of this dashboard names the cause.',
  },
  provider_unreachable: {
    what: 'The sign-in service cannot be reached.',
    next: 'Your password is not the problem. Wait a moment and sign in again; if that keeps failing, contact your administrator.',
  },
  store_key: {
    what: 'This dashboard cannot look you up: the identity store rejects its key.',
    next: 'Your password is not the problem, and waiting will not help. Whoever runs this dashboard must set a key that the store accepts:',
    steps: [
      `If the variable AUTH_IDENTITY_ADMIN_KEY is set, change it and restart: it takes precedence over a stored key.`,
      `Otherwise, run settings:set ${apiKeySetting(identityService(deployment).adminApi)} to store a key. A running service uses it within five seconds.`,
    ],
  },
  inactive: {
    what: 'Your account is not active.',
    next: 'Ask your administrator to activate it.',
  },
  cookies: {
    what: 'Your browser did not store or return the cookies that sign-in needs.',
    next: 'One of these usually helps:',
    steps: [
      'Allow cookies for this address, and turn off extensions that remove them.',
      'Delete the cookies of this address and of its parent domain: a cookie of another site there can override the one for your sign-in.',
      'Finish one sign-in before you start another in a different window.',
    ],
  },
  storage: {
    what: 'You are not signed in. Your browser blocks storage for this page, so you are not redirected to sign-in.',
    next: 'Sign in below. If you end up here again, allow cookies and site data for this address, then retry.',
  },
};

export function failureText(reason = ''): FailureText {
  if (Object.hasOwn(TEXTS, reason)) return TEXTS[reason as keyof typeof TEXTS];
  return {
    what: 'Something went wrong during sign-in.',
    next: 'Sign in again; if that keeps failing, contact your administrator.',
  };
}
