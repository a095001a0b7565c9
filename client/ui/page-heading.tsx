import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { deploymentName, environmentLabel } from '../deployment.ts';
import { visibleText } from '../format/visible-text.ts';

/**
 * The page's one `h1`, its tab title and its actions. Render it in every state, including pending: the shell moves
 * focus here after navigation.
 */
export function PageHeading({ title, about, actions }: { title: string; about?: ReactNode; actions?: ReactNode }) {
  usePageTitle(title);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
      <Stack gap={2} maw="44rem" miw={0}>
        <Title order={1} size="h2" tabIndex={-1} data-page-heading>
          <bdi>{visibleText(title)}</bdi>
        </Title>
        {about !== undefined && (
          <Text c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

/** The tab title always names the deployment: two dashboards may be open side by side. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = [visibleText(title), deploymentName, environmentLabel].filter(Boolean).join(' · ');
  }, [title]);
}
