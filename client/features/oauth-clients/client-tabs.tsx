import { Alert, Code, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { text, texts, timeOf } from '../../../shared/json.ts';
import { historyQuery } from '../../api/audit.ts';
import { clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { useCan } from '../../api/session.ts';
import { TrailLink } from '../../audit/record-list.tsx';
import { formatGrant } from '../../lib/labels.ts';
import { Cards, Columns, useRecord } from '../../record/tabs.tsx';
import { LatestEvents, Timeline } from '../../record/timeline.tsx';
import { type TimelineLine, type TimelineSource, useTrailSource } from '../../record/timeline-sources.tsx';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { IconEyeExclamation } from '../../ui/icons.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';
import { documentOf } from './client-draft.ts';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS } from './client-fields.ts';
import { formatAuthMethod, formatDuration } from './client-members.ts';
import { ClientUsage } from './client-usage.tsx';
import classes from './oauth-clients.module.css';

export function OverviewTab() {
  const client = useRecord(clientQuery);
  const advice = adviceOn(client);
  const rotated = useRotation(client.client_id);
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
      <Columns
        wide="first"
        first={
          <Cards>
            <Section title="At a glance">
              <FactList
                facts={[
                  ['Authentication', formatAuthMethod(text(client.token_endpoint_auth_method))],
                  ['Grants', texts(client.grant_types).map(formatGrant).join(', ') || 'none set'],
                  ['Scope', text(client.scope) || 'none'],
                  ['Audiences', <ValueList key="audience" values={texts(client.audience)} />],
                  ['Consent', <ConsentFact key="consent" client={client} />],
                  ...(rotated === undefined ? [] : [['Secret', rotated] as const]),
                  ['Created', <RelativeTime key="created" at={text(client.created_at)} />],
                  ['Updated', <RelativeTime key="updated" at={text(client.updated_at)} />],
                ]}
              />
            </Section>
            <Section title="Addresses">
              <FactList
                facts={[
                  ['Redirects', <ValueList key="redirects" values={texts(client.redirect_uris)} />],
                  ['After logout', <ValueList key="logout" values={texts(client.post_logout_redirect_uris)} />],
                  ['Browser origins', <ValueList key="cors" values={texts(client.allowed_cors_origins)} />],
                ]}
              />
            </Section>
            <ClientUsage id={client.client_id} />
          </Cards>
        }
        second={<LatestEvents sources={useClientSources(client)} />}
      />
    </Stack>
  );
}

/** "Rotated 3 minutes ago", if that is among the latest records. */
function useRotation(id: string): ReactNode {
  const { data } = useInfiniteQuery({ ...historyQuery(`client:${id}`), enabled: useCan()('audit.read') });
  const last = data?.pages[0]?.rows.find(
    ({ details: { changed, status } }) => texts(changed).includes('/client_secret') && status === 200,
  );
  return (
    last && (
      <span>
        Rotated <RelativeTime at={last.timestamp} />
      </span>
    )
  );
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Problems and risks in a client's settings, one sentence each. */
export function adviceOn(client: OauthClient): string[] {
  const grants = texts(client.grant_types);
  const scope = text(client.scope).split(' ');
  const redirects = texts(client.redirect_uris);
  const advice: string[] = [];
  if (grants.includes('implicit') || texts(client.response_types).some((type) => /\b(?:id_)?token\b/.test(type)))
    advice.push(
      'The implicit grant exposes tokens in the address bar. Use the authorization code grant with PKCE instead.',
    );
  if (grants.includes('password')) advice.push('With the password grant, the application sees people’s passwords.');
  if (client.token_endpoint_auth_method === 'none' && grants.includes('client_credentials'))
    advice.push('The client credentials grant needs a secret or a key, which a public client does not have.');
  if (grants.includes('refresh_token') && !scope.includes('offline_access') && !scope.includes('offline'))
    advice.push('Refresh tokens are issued only with the scope offline_access, which this client may not request.');
  if (grants.includes('authorization_code') && redirects.length === 0)
    advice.push('The client has no redirect address, so sign-ins cannot complete.');
  for (const address of redirects) {
    if (!URL.canParse(address)) advice.push(`${address} is not an absolute URL, so sign-ins cannot return there.`);
    else if (address.includes('*'))
      advice.push(`${address} contains a * that is taken literally: wildcards are not supported.`);
    else if (isOpenHttp(new URL(address))) advice.push(`${address} is not encrypted, so codes can be read in transit.`);
  }
  return advice;
}

const isOpenHttp = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && !LOOPBACK.has(hostname);

const ValueList = ({ values }: { values: readonly string[] }) =>
  values.length === 0 ? (
    'none'
  ) : (
    <Stack gap={2} align="flex-start">
      {values.map((value) => (
        <Code key={value} className={classes.breakable}>
          {value}
        </Code>
      ))}
    </Stack>
  );

/** The OAuth server can list the consents of a person but not of a client. */
const ConsentFact = ({ client }: { client: OauthClient }) => (
  <>
    {client.skip_consent === true ? 'Not requested' : 'Requested'}
    {' · '}
    <TextLink inherit underline="always" to="/oauth/consents" search={{ client: client.client_id }}>
      Look up a person’s consents
    </TextLink>
  </>
);

/** All members, grouped as in the form; members without a field come last. */
export function ConfigurationTab() {
  const members = documentOf(useRecord(clientQuery));
  const others = Object.entries(members).filter(([name]) => !CLIENT_FIELDS.some((field) => field.name === name));
  return (
    <Cards>
      {FIELD_GROUPS.map(({ title, about, fields }) => {
        const set = fields.filter(({ name }) => members[name] !== undefined);
        const unset = fields.filter(({ name }) => members[name] === undefined);
        return (
          <Section key={title} title={title} about={about}>
            {set.length > 0 && (
              <FactList facts={set.map((field) => [field.label, formatMember(field, members[field.name])])} />
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
        <Section title="Other fields" about="Not in the form. Edit them as JSON.">
          <FactList facts={others.map(([name, value]) => [name, formatJson(value)])} />
        </Section>
      )}
    </Cards>
  );
}

function formatMember({ kind, choices }: ClientField, value: unknown): ReactNode {
  const choiceLabel = (item: string): string => choices.find(([choice]) => choice === item)?.[1] ?? item;
  if (Array.isArray(value) && kind === 'set') return value.map((item) => choiceLabel(String(item))).join(', ');
  if (Array.isArray(value)) return <ValueList values={value.map(String)} />;
  if (kind === 'flag') return value === true ? 'Yes' : 'No';
  if (typeof value !== 'string') return formatJson(value);
  if (kind === 'duration') return formatDuration(value);
  return <span className={classes.breakable}>{kind === 'choice' ? choiceLabel(value) : value}</span>;
}

const formatJson = (value: unknown): ReactNode => (
  <Code block className={classes.breakable}>
    {JSON.stringify(value, null, 2)}
  </Code>
);

const LIMITS = [
  'Consents and tokens are not shown: the OAuth server lists consents only by person, and does not list tokens.',
  'Of changes made outside this dashboard, only the time of the last one is known.',
];

export function TimelineTab() {
  const client = useRecord(clientQuery);
  return (
    <Timeline
      kinds={[
        ['trail', 'Changes here'],
        ['record', 'Record'],
      ]}
      sources={useClientSources(client)}
      limits={LIMITS}
      beside={<TrailLink subject={`client:${client.client_id}`} />}
    />
  );
}

function useClientSources(client: OauthClient): TimelineSource[] {
  const trail = useTrailSource(`client:${client.client_id}`);
  // A change made here has its own line.
  const isOwn = (at: string) => trail.lines.some((line) => Math.abs(timeOf(line.at) - timeOf(at)) < SAME_ACT_MS);
  const lines = recordLines(client).filter(({ id, at }) => id !== 'updated' || !isOwn(at));
  return [trail, { name: 'the record', kinds: ['record'], lines }];
}

const SAME_ACT_MS = 2_000;

/** When Hydra creates a client, it sets the two times a moment apart. */
const CREATION_MS = 1_000;

function recordLines(client: OauthClient): TimelineLine[] {
  const [created, updated] = [text(client.created_at), text(client.updated_at)];
  const lines: TimelineLine[] = [];
  if (created !== '') lines.push({ id: 'created', at: created, kind: 'record', text: 'The client was created' });
  if (timeOf(updated) - timeOf(created) > CREATION_MS)
    lines.push({ id: 'updated', at: updated, kind: 'record', text: 'The client was last changed' });
  return lines;
}
