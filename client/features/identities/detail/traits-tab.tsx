import { Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useLoadedIdentity } from '../use-loaded-identity.ts';
import { TraitList } from './trait-list.tsx';

export function TraitsTab() {
  const identity = useLoadedIdentity();
  const { metadata_public, metadata_admin, schema_id } = identity;
  return (
    <Stack gap="md">
      <Paper withBorder p="md" component="section" aria-label="Traits">
        <Title order={2} size="h5">
          Traits
        </Title>
        <Text size="xs" c="dimmed" mb="sm">
          As the schema {schema_id} has them. The person may see and change them.
        </Text>
        <TraitList identity={identity} />
      </Paper>
      <Metadata
        title="Public metadata"
        about="The person may see it, only administrators change it."
        value={metadata_public}
      />
      <Metadata title="Admin metadata" about="Only administrators see and change it." value={metadata_admin} />
    </Stack>
  );
}

function Metadata({ title, about, value }: { title: string; about: string; value: unknown }) {
  const none = value === null || value === undefined;
  const text = JSON.stringify(value, null, 2);
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5">
          {title}
        </Title>
        {!none && <CopyButton label={`Copy the ${title.toLowerCase()}`} read={() => text} />}
      </Group>
      <Text size="xs" c="dimmed" mb="sm">
        {about}
      </Text>
      {none ? (
        <Text size="sm" c="dimmed">
          None.
        </Text>
      ) : (
        <Code block tabIndex={0}>
          {text}
        </Code>
      )}
    </Paper>
  );
}
