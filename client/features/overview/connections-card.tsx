import { Anchor, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { configurationQuery } from '../../api/configuration.ts';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import classes from './connections-card.module.css';

/** What this deployment is connected to, in one line; the System page has the details. */
export function ConnectionsCard() {
  const { data, error, refetch } = useQuery(configurationQuery);
  return (
    <section aria-labelledby="connections-heading">
      <Title order={2} size="h4" id="connections-heading" mb="sm">
        Connections
      </Title>
      {error !== null ? (
        <FailurePanel error={error} title="The configuration could not be read" onRetry={() => void refetch()} />
      ) : (
        <Paper withBorder p="lg">
          {data === undefined ? (
            <Skeleton height={20} width="60%" />
          ) : (
            <Stack gap="sm">
              <div className={classes.connections}>
                {Object.entries(data.upstreams).map(([name, { configured }]) => (
                  <StatusDot key={name} status={configured ? 'good' : 'off'}>
                    {name}
                    <Text span c="dimmed" size="sm">
                      {' '}
                      {configured ? 'configured' : 'not configured'}
                    </Text>
                  </StatusDot>
                ))}
              </div>
              <Anchor component={Link} to="/system" size="sm">
                All details on the System page
              </Anchor>
            </Stack>
          )}
        </Paper>
      )}
    </section>
  );
}
