import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { apiKeySetting, type Configuration, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';
import { configurationQuery } from '../../api/services.ts';
import { useCan } from '../../api/session.ts';
import { holders } from '../../deployment.ts';
import { FactList } from '../../ui/facts.tsx';
import { Dimmed, PageHeading, Section, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { ServicesSection } from './services-section.tsx';

export function SystemPage() {
  const may = useCan();
  return (
    <>
      <PageHeading title="System" about="Whether everything is up, and how this deployment is configured." />
      <Stack gap="xl">
        <ServicesSection />
        {may('configuration.read') ? (
          <ConfigurationFacts />
        ) : (
          <Section title="Configuration">
            <Dimmed>Only {holders(['configuration.read'])} can see the configuration of this deployment.</Dimmed>
          </Section>
        )}
      </Stack>
    </>
  );
}

const ConfigurationFacts = () => (
  <QueryState
    query={useQuery(configurationQuery)}
    loading={<LoadingRows label="Loading the configuration" rows={2} height={230} />}
  >
    {(data) => (
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title="Configuration" about="Addresses and secrets are never shown.">
          <FactList facts={factsOf(data)} />
        </Section>
        <Section title="Upstream services">
          <FactList facts={upstreamFacts(data.upstreams)} />
        </Section>
      </SimpleGrid>
    )}
  </QueryState>
);

const PROXY_RULES: Record<Configuration['features']['proxy_require_session'], string> = {
  outside: 'Require an administrator’s session for requests from outside the private network',
  always: 'Always require an administrator’s session',
  never: 'Open to anyone who can reach the port',
};

const providerOf = ({ features }: Configuration): string =>
  features.sign_in === 'openid' ? 'sign-in service’s' : 'OAuth server’s';

const schemasOf = ({ operator_store, operator_schemas_restricted }: Configuration['features']): string => {
  if (!operator_store) return 'None: operators are not identities';
  return operator_schemas_restricted ? 'Restricted' : 'Any schema may sign in';
};

const factsOf = (configuration: Configuration): [string, string][] => [
  ['Deployment', configuration.deployment === 'customer' ? 'Customer identity' : 'Workforce identity'],
  ['Version', configuration.version],
  [
    'Sessions last at most',
    `${configuration.session_max_age_seconds / 3600} hours, or until the ${providerOf(configuration)} token expires`,
  ],
  ['Settings are cached for', `${configuration.settings_cache_ttl_seconds} seconds`],
  [
    'Operators’ roles come from',
    configuration.features.operator_store ? 'The identity store' : `The ${providerOf(configuration)} claims`,
  ],
  ['Operators’ schemas', schemasOf(configuration.features)],
  ['Admin proxies', PROXY_RULES[configuration.features.proxy_require_session]],
];

/** The APIs that this dashboard proxies, and which have a stored API key. */
const upstreamFacts = (upstreams: Configuration['upstreams']): [string, ReactNode][] =>
  UPSTREAM_NAMES.filter((name) => upstreams[name].configured).map((name) => [
    `/api/${name}`,
    // No status dot: a configured address says nothing about health.
    <Fragment key={name}>
      <span>Configured</span>
      {', '}
      {upstreams[name].api_key_stored ? <StoredKey setting={apiKeySetting(name)} /> : 'no API key'}
    </Fragment>,
  ]);

const StoredKey = ({ setting }: { setting: string }) =>
  useCan()('settings.read') ? (
    <TextLink inherit to="/settings" search={{ key: setting }}>
      API key stored
    </TextLink>
  ) : (
    'API key stored'
  );
