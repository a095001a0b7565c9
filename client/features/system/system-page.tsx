import { Anchor, Code, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { holdersOf } from '../../../shared/capabilities.ts';
import { apiKeySetting, type Configuration, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';
import { configurationQuery } from '../../api/services.ts';
import { useCan } from '../../api/session.ts';
import { FactList } from '../../ui/facts.tsx';
import { PageHeading } from '../../ui/layout.tsx';
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
        <section>
          <Title order={2} mb="sm">
            Configuration
          </Title>
          {may('configuration.read') ? (
            <ConfigurationFacts />
          ) : (
            <Text size="sm" c="dimmed">
              The configuration of this deployment is for {holdersOf(['configuration.read'])}.
            </Text>
          )}
        </section>
      </Stack>
    </>
  );
}

function ConfigurationFacts() {
  const query = useQuery(configurationQuery);
  return (
    <Stack gap="lg">
      <QueryState query={query} loading={<LoadingRows label="Loading the configuration" rows={2} height={230} />}>
        {(data) => (
          <>
            <Text size="sm" c="dimmed">
              Addresses and secrets are never shown.
            </Text>
            <Paper withBorder p="lg">
              <FactList facts={factsOf(data)} />
            </Paper>
            <section>
              <Title order={3} id="upstreams-heading" mb="sm">
                Upstream services
              </Title>
              <UpstreamTable upstreams={data.upstreams} />
            </section>
          </>
        )}
      </QueryState>
    </Stack>
  );
}

const PROXY_RULES: Record<Configuration['features']['proxy_require_session'], string> = {
  outside: 'Require an administrator’s session from outside the private network',
  always: 'Always require an administrator’s session',
  never: 'Open to anyone who can reach the port',
};

const factsOf = (configuration: Configuration): [string, string][] => [
  ['Deployment', configuration.deployment === 'customer' ? 'Customer identity' : 'Workforce identity'],
  ['Version', configuration.version],
  [
    'Sessions last at most',
    `${configuration.session_max_age_seconds / 3600} hours, or until the OAuth 2.0 server’s token expires`,
  ],
  ['Settings are cached for', `${configuration.settings_cache_ttl_seconds} seconds`],
  [
    'Operators’ roles come from',
    configuration.features.operator_store ? 'The identity store' : 'The OAuth 2.0 server’s claims',
  ],
  ['Operators’ schemas', configuration.features.operator_schemas_restricted ? 'Restricted' : 'Any schema may sign in'],
  ['Admin proxies', PROXY_RULES[configuration.features.proxy_require_session]],
];

/** Which of the six APIs this dashboard proxies, and whether an API key is stored for them. */
function UpstreamTable({ upstreams }: { upstreams: Configuration['upstreams'] }) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-labelledby="upstreams-heading">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Prefix</Table.Th>
            <Table.Th>Upstream</Table.Th>
            <Table.Th>API key</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {UPSTREAM_NAMES.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Code>/api/{name}</Code>
              </Table.Td>
              <Table.Td>
                {/* No status dot: a configured address says nothing about health. */}
                {upstreams[name].configured ? 'Configured' : 'Not configured'}
              </Table.Td>
              <Table.Td>
                {upstreams[name].api_key_stored ? (
                  <Anchor
                    size="sm"
                    renderRoot={(props) => <Link to="/settings" search={{ key: apiKeySetting(name) }} {...props} />}
                  >
                    Stored
                  </Anchor>
                ) : (
                  'None stored'
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
