import { Code, Stack, Text } from '@mantine/core';
import { identityQuery } from '../../../api/identities-record.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Section } from '../../../ui/section.tsx';
import { TraitList } from './trait-list.tsx';

export function TraitsTab() {
  const identity = useRecord(identityQuery);
  const { metadata_public, metadata_admin, schema_id } = identity;
  return (
    <Stack gap="md">
      <Section title="Traits" about={`Defined by the schema ${schema_id}. The person can view and change them.`}>
        <TraitList identity={identity} />
      </Section>
      <Metadata
        title="Public metadata"
        about="The person can view it; only administrators can change it."
        value={metadata_public}
      />
      <Metadata title="Admin metadata" about="Only administrators can view and change it." value={metadata_admin} />
    </Stack>
  );
}

function Metadata({ title, about, value }: { title: string; about: string; value: unknown }) {
  const none = value === null || value === undefined;
  const text = JSON.stringify(value, null, 2);
  return (
    <Section
      title={title}
      about={about}
      actions={!none && <CopyButton label={`Copy the ${title.toLowerCase()}`} read={() => text} />}
    >
      {none ? (
        <Text size="sm" c="dimmed">
          None.
        </Text>
      ) : (
        <Code block tabIndex={0}>
          {text}
        </Code>
      )}
    </Section>
  );
}
