import { Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SERVICES_EVERY_MS, servicesQuery } from '../../api/services.ts';
import { formatServices } from '../../format/services.ts';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { Note } from '../../ui/feedback/note.tsx';
import { ServiceTable } from './service-table.tsx';
import classes from './services-section.module.css';
import { SevenDays } from './seven-days.tsx';
import { useSamples } from './use-samples.ts';

/** Polls every 5 s while the page is visible. The last known state stays when a later request fails. */
export function ServicesSection() {
  const { data, error, refetch, isFetching } = useQuery(servicesQuery(SERVICES_EVERY_MS));
  const samples = useSamples(data);
  return (
    <section>
      <Group justify="space-between" align="baseline" mb="sm">
        <Title order={2} size="h4">
          Services
        </Title>
        {data !== undefined && (
          <Note asOf={oldest(data.services.map(({ checked_at }) => checked_at))} clockAheadMs={data.clockAheadMs} />
        )}
      </Group>
      {error !== null && !isFetching && (
        <FailurePanel
          error={error}
          title={data === undefined ? 'The state of the services is unknown' : 'This is out of date'}
          onRetry={() => void refetch()}
        />
      )}
      {data !== undefined ? (
        <>
          <Text size="sm" c="dimmed" mb="sm" role="status">
            {formatServices(data.services)}
          </Text>
          <ServiceTable services={data.services} samples={samples} clockAheadMs={data.clockAheadMs} />
          <SevenDays services={data.services} clockAheadMs={data.clockAheadMs} />
        </>
      ) : (
        error === null && <Skeleton className={classes.awaited} aria-hidden />
      )}
    </section>
  );
}

const oldest = (times: readonly string[]): string => times.toSorted()[0] ?? '';
