import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isObject, text } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { Section } from '../../ui/layout.tsx';
import { EndToken, endOf, type Introspection, type TokenEnd } from './end-token.tsx';

const BUTTONS: Record<TokenEnd['way'], string> = {
  revoke: 'Revoke this token…',
  consent: 'Revoke the consents…',
  'client-tokens': 'End all access tokens of this client…',
};

const WHY: Record<TokenEnd['way'], string> = {
  revoke: 'Its client is public, so its id is enough to revoke the token.',
  consent:
    'Only the application itself can revoke a single token, with its secret or key. You can revoke the person’s consents to this application instead, which ends all tokens issued under them.',
  'client-tokens':
    'Only the application itself can revoke a single token, with its secret or key, and there are no consents to revoke. You can end all access tokens of the client instead.',
};

/** Describes a valid token and offers to end it. @param again introspects once more after a change */
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
      <Section title="Details">
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
        <Section title="End this token">
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
      {ending && end !== undefined && (
        <EndToken token={props.token} end={end} again={props.again} onClose={() => setEnding(false)} />
      )}
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

/** A person's id with a link to their consents; a client acting for itself has none. */
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

/** Seconds since the epoch; anything that is not a time is omitted. */
const time = (seconds: unknown): ReactNode | undefined =>
  typeof seconds === 'number' && Math.abs(seconds) < 8.64e12 ? (
    <RelativeTime at={new Date(seconds * 1_000).toISOString()} />
  ) : undefined;
