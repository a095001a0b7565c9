import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { isObject, text } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-client-record.ts';
import type { Introspection } from '../../api/oauth-tokens.ts';
import { visibleText } from '../../format/visible-text.ts';
import { FactList } from '../../ui/fact-list.tsx';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Section } from '../../ui/section.tsx';
import { endOf, type TokenEnd } from './token-end.ts';

const EndToken = lazyDialog(() => import('./end-token.tsx'), 'EndToken');

const BUTTONS: Record<TokenEnd['way'], string> = {
  revoke: 'Revoke this token…',
  consent: 'Revoke the consents…',
  'client-tokens': 'End all access tokens of this client…',
};

const WHY: Record<TokenEnd['way'], string> = {
  revoke: 'Its client is public, so its id is enough to revoke the token in its name.',
  consent:
    'A single token can be revoked only by its application, with a secret or a key that nobody here knows. What can be done is to revoke what the person granted to this application: that ends all tokens that came of it.',
  'client-tokens':
    'A single token can be revoked only by its application, with a secret or a key that nobody here knows, and no person has granted it anything. What can be done is to end all access tokens of the client.',
};

/** What a valid token is, and how it can be ended. @param again asks once more, after something was done to it */
export function TokenAnswer(props: {
  token: string;
  answer: Introspection;
  client: OauthClient | undefined;
  again: () => Promise<void>;
}) {
  const { answer, client } = props;
  const [ending, setEnding] = useState(false);
  const end = endOf(answer, client);
  return (
    <>
      <Section title="What it is">
        <FactList facts={factsOf(answer, client)} />
      </Section>
      {isObject(answer.ext) && Object.keys(answer.ext).length > 0 && (
        <Section title="Custom claims">
          <Code block tabIndex={0}>
            {JSON.stringify(answer.ext, null, 2)}
          </Code>
        </Section>
      )}
      {end !== undefined && (
        <Section title="To end it">
          <Stack gap="sm">
            <Text size="sm">{WHY[end.way]}</Text>
            <Group>
              <Button variant="default" onClick={() => setEnding(true)}>
                {BUTTONS[end.way]}
              </Button>
            </Group>
          </Stack>
        </Section>
      )}
      <Suspense>
        {ending && end !== undefined && (
          <EndToken token={props.token} end={end} again={props.again} onClose={() => setEnding(false)} />
        )}
      </Suspense>
    </>
  );
}

function factsOf(answer: Introspection, client: OauthClient | undefined): [string, ReactNode][] {
  const { token_use, client_id, scope, aud, iss, iat, exp } = answer;
  const facts: [string, ReactNode | undefined][] = [
    [
      'Kind',
      token_use === 'refresh_token'
        ? 'Refresh token'
        : token_use === 'access_token'
          ? 'Access token'
          : given(token_use),
    ],
    ['Client', typeof client_id === 'string' ? <ClientLink key="client" id={client_id} client={client} /> : undefined],
    ['Subject', subjectOf(answer)],
    ['Scope', given(scope)],
    ['Audience', Array.isArray(aud) && aud.length > 0 ? aud.map(String).join(', ') : undefined],
    ['Issuer', given(iss)],
    ['Issued', time(iat)],
    ['Expires', time(exp)],
  ];
  return facts.filter((fact): fact is [string, ReactNode] => fact[1] !== undefined);
}

/** A person's, with the way to what else they granted to the client; a client that acts in its own name granted nothing. */
function subjectOf({ sub, client_id: client }: Introspection): ReactNode | undefined {
  const subject = given(sub);
  if (subject === undefined || subject === client) return subject;
  return (
    <>
      <bdi>{visibleText(subject)}</bdi>
      {' · '}
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => (
          <Link {...props} to="/oauth/consents" search={{ subject, client: given(client) }} preload={false} />
        )}
      >
        See the consents
      </Anchor>
    </>
  );
}

const ClientLink = ({ id, client }: { id: string; client: OauthClient | undefined }) => (
  <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/oauth/clients/$id" params={{ id }} />}>
    <bdi>
      {visibleText(
        typeof client?.client_name === 'string' && client.client_name !== '' ? `${client.client_name} (${id})` : id,
      )}
    </bdi>
  </Anchor>
);

const given = (value: unknown): string | undefined => text(value) || undefined;

/** Seconds since the epoch; a number that is not a time is not shown. */
const time = (seconds: unknown): ReactNode | undefined =>
  typeof seconds === 'number' && Math.abs(seconds) < 8.64e12 ? (
    <RelativeTime at={new Date(seconds * 1_000).toISOString()} />
  ) : undefined;
