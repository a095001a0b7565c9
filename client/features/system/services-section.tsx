import { Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ServiceName, ServiceProblem, ServiceState, Services } from '../../../shared/services.ts';
import { SERVICES_EVERY_MS, servicesQuery } from '../../api/services.ts';
import { hasApplications, hasPeople } from '../../deployment.ts';
import { formatSince } from '../../lib/format-time.ts';
import { dotOf, formatServices, formatState, SERVICE_NAMES } from '../../lib/service-state.ts';
import { DataAge, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { SevenDays } from './seven-days.tsx';

/** Polls every 5 s while the page is visible. If a request fails, the last known state stays. */
export function ServicesSection() {
  const query = useQuery({ ...servicesQuery(SERVICES_EVERY_MS), select: configuredOnly });
  const { data } = query;
  const now = useNow() + (data?.clockAheadMs ?? 0);
  return (
    <Stack component="section" gap="sm">
      <Group align="baseline" gap="sm">
        <Title order={2}>Services</Title>
        {data !== undefined && (
          <>
            <Dimmed span role="status" flex={1}>
              {formatServices(data.services)}
            </Dimmed>
            <DataAge
              asOf={data.services.map(({ checked_at }) => checked_at).sort()[0] ?? ''}
              clockAheadMs={data.clockAheadMs}
            />
          </>
        )}
      </Group>
      <QueryState
        query={query}
        title="The state of the services is unknown"
        loading={<Skeleton h={{ base: heightFor(7.24), sm: heightFor(5.86) }} aria-hidden />}
      >
        {({ services }) => (
          <>
            <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Services">
              <Table verticalSpacing="xs" horizontalSpacing="md" miw="32rem">
                <Table.DataRenderer data={{ head: ['Service', 'State', 'Version'] }} />
                <Table.Tbody>
                  {services.map((service) => (
                    <Table.Tr key={service.name}>
                      <Table.Th scope="row" fw={500}>
                        {SERVICE_NAMES[service.name] ?? service.name}
                      </Table.Th>
                      <Table.Td>
                        <State service={service} now={now} />
                      </Table.Td>
                      <Table.Td>{service.version ?? '–'}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Paper>
            <SevenDays services={services} now={now} />
          </>
        )}
      </QueryState>
    </Stack>
  );
}

/** The height of the table and strips while they load, so that nothing below moves. @param each of a service, in rem */
const heightFor = (each: number): string =>
  `${9.625 + each * (3 + 2 * Number(hasPeople()) + 2 * Number(hasApplications()))}rem`;

const configuredOnly = <T extends Services>(data: T): T => ({
  ...data,
  services: data.services.filter(({ status }) => status !== 'not_configured'),
});

function State({ service, now }: { service: ServiceState; now: number }) {
  const { name, status, problem } = service;
  return (
    <>
      <StatusDot status={dotOf(service)}>{formatState(service)}</StatusDot>
      {service.since !== null && (status === 'down' || status === 'degraded') && (
        <Text size="xs" fw={500}>
          {formatSince(service.since, now)}
        </Text>
      )}
      {problem !== null && (
        <Dimmed size="xs" maw="22rem">
          {ADVICE_OF[name]?.[problem] ?? ADVICE[problem]} {service.code}
        </Dimmed>
      )}
    </>
  );
}

const ADVICE: Record<ServiceProblem, string> = {
  unreachable: 'Nothing responds at its address. Check that it is running and reachable from this dashboard.',
  certificate: 'It or this dashboard refuses the other’s TLS certificate, or the lack of one.',
  slow: 'It takes more than a second to respond, or timed out.',
  refuses_key: 'It rejects the stored API key, or requires one and none is stored. See Settings.',
  key_unreadable: 'Its stored API key cannot be decrypted or sent. Store it again under Settings.',
  too_many_requests: 'It is currently limiting requests.',
  failing: 'It is reachable but reports that it is not ready, or drops connections.',
  nonsense: 'Something else responds at its address. Check the address.',
};

const ADVICE_OF: Partial<Record<ServiceName, Partial<Record<ServiceProblem, string>>>> = {
  database: {
    unreachable: 'The database does not respond. Settings, the audit trail and sign-ins depend on it.',
    failing: 'The database cannot be written to.',
  },
  geo: { unreachable: 'The geolocation file cannot be read: maps and locations stay empty.' },
};
