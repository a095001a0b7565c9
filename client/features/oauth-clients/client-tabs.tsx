import { Alert, Anchor, Code, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { formatGrant } from '../../lib/labels.ts';
import { useRecord } from '../../record/tabs.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { IconEyeExclamation } from '../../ui/icons.tsx';
import { Section } from '../../ui/layout.tsx';
import { documentOf } from './client-draft.ts';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS } from './client-fields.ts';
import { formatAuthMethod, formatDuration, listMember, textMember } from './client-members.ts';
import classes from './oauth-clients.module.css';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Recommendations for a client that works: one sentence each. */
export function adviceOn(client: OauthClient): string[] {
  const grants = listMember(client, 'grant_types');
  const scope = textMember(client, 'scope').split(' ');
  const advice: string[] = [];
  if (
    grants.includes('implicit') ||
    listMember(client, 'response_types').some((type) => /\b(?:id_)?token\b/.test(type))
  )
    advice.push(
      'The implicit grant exposes tokens in the address bar. Use the authorization code grant with PKCE instead.',
    );
  if (grants.includes('password')) advice.push('With the password grant, the application sees people’s passwords.');
  if (client.token_endpoint_auth_method === 'none' && grants.includes('client_credentials'))
    advice.push('The client credentials grant needs a secret or a key, which a public client does not have.');
  if (grants.includes('refresh_token') && !scope.includes('offline_access') && !scope.includes('offline'))
    advice.push('Refresh tokens are issued only with the scope offline_access, which it may not request.');
  if (grants.includes('authorization_code') && listMember(client, 'redirect_uris').length === 0)
    advice.push('It has no redirect address, so sign-ins cannot complete.');
  for (const address of listMember(client, 'redirect_uris')) {
    if (!URL.canParse(address)) advice.push(`${address} is not an absolute URL, so sign-ins cannot return there.`);
    else if (address.includes('*'))
      advice.push(`${address} contains a *, which is taken literally; wildcards are not supported.`);
    else if (isOpenHttp(new URL(address))) advice.push(`${address} is not encrypted, so codes can be read in transit.`);
  }
  return advice;
}

const isOpenHttp = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !LOOPBACK.has(hostname);

/** A vertical list of values. */
export const TextItems = ({ items }: { items: readonly string[] }) =>
  items.length === 0 ? (
    'none'
  ) : (
    <Stack gap={2} align="flex-start">
      {items.map((item) => (
        <Code key={item} className={classes.breakable}>
          {item}
        </Code>
      ))}
    </Stack>
  );

export function OverviewTab() {
  const client = useRecord(clientQuery);
  const advice = adviceOn(client);
  const facts: [string, ReactNode][] = [
    ['Authentication', formatAuthMethod(textMember(client, 'token_endpoint_auth_method'))],
    ['Grants', listMember(client, 'grant_types').map(formatGrant).join(', ') || 'none set'],
    ['Scope', textMember(client, 'scope') || 'none'],
    ['Audiences', <TextItems key="audience" items={listMember(client, 'audience')} />],
    ['Consent', <ConsentFact key="consent" client={client} />],
    ['Created', <RelativeTime key="created" at={textMember(client, 'created_at')} />],
    ['Updated', <RelativeTime key="updated" at={textMember(client, 'updated_at')} />],
  ];
  return (
    <Stack gap="md">
      {advice.length > 0 && (
        <Alert variant="default" icon={<IconEyeExclamation size={24} />} title="Recommendations">
          {advice.map((sentence) => (
            <Text key={sentence} size="sm" className={classes.breakable}>
              {sentence}
            </Text>
          ))}
        </Alert>
      )}
      <div className={classes.columns}>
        <Section title="At a glance">
          <FactList facts={facts} />
        </Section>
        <Section title="Addresses">
          <FactList
            facts={[
              ['Redirects', <TextItems key="redirects" items={listMember(client, 'redirect_uris')} />],
              ['After logout', <TextItems key="logout" items={listMember(client, 'post_logout_redirect_uris')} />],
              ['Browser origins', <TextItems key="cors" items={listMember(client, 'allowed_cors_origins')} />],
            ]}
          />
        </Section>
      </div>
    </Stack>
  );
}

/** The OAuth server cannot list a client's consents, only a person's. */
const ConsentFact = ({ client }: { client: OauthClient }) => (
  <>
    {client.skip_consent === true ? 'Not requested' : 'Requested'}
    {' · '}
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => (
        <Link {...props} to="/oauth/consents" search={{ client: client.client_id }} preload={false} />
      )}
    >
      Look up a person’s consents
    </Anchor>
  </>
);

/** Every member, grouped as in the form; unknown ones come last. */
export function ConfigurationTab() {
  const members = documentOf(useRecord(clientQuery));
  const others = Object.entries(members).filter(([name]) => !CLIENT_FIELDS.some((field) => field.name === name));
  return (
    <Stack gap="md">
      {FIELD_GROUPS.map(({ title, about, fields }) => {
        const unset = fields.filter(({ name }) => members[name] === undefined);
        const set = fields.filter((field) => !unset.includes(field));
        return (
          <Section key={title} title={title} about={about}>
            {set.length > 0 && (
              <FactList facts={set.map((field) => [field.label, shown(field, members[field.name])])} />
            )}
            {unset.length > 0 && (
              <Text size="xs" c="dimmed" mt={set.length > 0 ? 'sm' : 0}>
                Not set: {unset.map(({ label }) => label).join(', ')}.
              </Text>
            )}
          </Section>
        );
      })}
      {others.length > 0 && (
        <Section title="Other members" about="Members that this dashboard does not know. Edit them as JSON.">
          <FactList facts={others.map(([name, value]) => [name, asJson(value)])} />
        </Section>
      )}
    </Stack>
  );
}

function shown({ kind, choices }: ClientField, value: unknown): ReactNode {
  const choiceLabel = (item: string): string => choices?.find(([choice]) => choice === item)?.[1] ?? item;
  if (Array.isArray(value) && kind === 'set') return value.map((item) => choiceLabel(String(item))).join(', ');
  if (Array.isArray(value)) return <TextItems items={value.map(String)} />;
  if (kind === 'flag') return value === true ? 'Yes' : 'No';
  if (typeof value !== 'string') return asJson(value);
  if (kind === 'duration') return formatDuration(value);
  return <span className={classes.breakable}>{kind === 'choice' ? choiceLabel(value) : value}</span>;
}

const asJson = (value: unknown): ReactNode => (
  <Code block className={classes.breakable}>
    {JSON.stringify(value, null, 2)}
  </Code>
);
