import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { formatGrant } from '../../../format/grant.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { IconEyeExclamation } from '../../../resource/icons.ts';
import { FactList } from '../../../ui/fact-list.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { formatAuthMethod, listMember, textMember } from '../client-members.ts';
import { adviceOn } from './client-advice.ts';
import classes from './client-tabs.module.css';
import { TextItems } from './text-items.tsx';

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
