import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Capability, holdersOf, roleName } from '../../../shared/capabilities.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { deploymentName } from '../../deployment.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { ConnectionsCard } from './connections-card.tsx';
import classes from './overview-page.module.css';

const route = getRouteApi('/signed-in/dashboard');

/** Where an operator arrives: who they are here, and where to go. */
export function OverviewPage() {
  const operator = useOperator();
  const { pages } = route.useRouteContext();
  const may = useCan();
  const isOpen = ({ needs }: { needs: Capability | undefined }): boolean => needs === undefined || may(needs);
  return (
    <>
      <PageHeading title="Overview" about={`${deploymentName} dashboard`} />
      <Stack gap="lg">
        <Paper withBorder p="lg">
          <Group gap="sm">
            <Text>
              Signed in as <strong>{operator.email}</strong>
            </Text>
            <Badge variant="light" tt="none">
              {roleName(operator.role)}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed" mt={4}>
            {pages.every(isOpen)
              ? 'You may use everything in this deployment.'
              : 'You may look at the pages below that carry no lock. Your administrator can grant more.'}
          </Text>
        </Paper>
        <section aria-labelledby="pages-heading">
          <Title order={2} size="h4" id="pages-heading" mb="sm">
            Pages
          </Title>
          <div className={classes.pages}>
            {pages
              .filter(({ to }) => to !== '/dashboard')
              .map(({ to, label, about, icon: Icon, needs, letter }) => (
                <Paper key={to} withBorder p="md" className={classes.page}>
                  <Icon size={22} stroke={1.6} aria-hidden />
                  <div>
                    <Anchor component={Link} to={to} fw={600} className={classes.link}>
                      {label}
                    </Anchor>
                    <Text size="sm" c="dimmed">
                      {about}
                    </Text>
                    {needs !== undefined && !may(needs) && (
                      <Text size="xs" c="dimmed" mt={4} className={classes.lock}>
                        <IconLock size={13} aria-hidden /> For {holdersOf(needs)}
                      </Text>
                    )}
                  </div>
                  <Text size="xs" c="dimmed" className={classes.keys} aria-hidden>
                    g {letter}
                  </Text>
                </Paper>
              ))}
          </div>
        </section>
        {may('configuration.read') && <ConnectionsCard />}
      </Stack>
    </>
  );
}
