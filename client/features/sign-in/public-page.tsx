import { Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { DeploymentBadge } from '../../ui/deployment-badge.tsx';
import { usePageTitle } from '../../ui/page-heading.tsx';
import classes from './public-page.module.css';

/** The frame of public pages: a centred card with the deployment's name. */
export function PublicPage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <main className={classes.page}>
      <DeploymentBadge />
      <Paper withBorder p="xl" className={classes.card}>
        <Stack gap="md">
          <Title order={1} size="h3" data-page-heading tabIndex={-1}>
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  );
}
