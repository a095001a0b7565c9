import { Alert, Stack, Text } from '@mantine/core';
import { useRecord } from '../../../resource/detail/use-record.ts';
import { FactList } from '../../../ui/fact-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { IdentityCount } from '../identity-count.tsx';
import { schemaQuery } from '../schema-query.ts';
import { traitTree } from '../trait-tree.ts';
import { TraitNodes } from './trait-nodes.tsx';

export function TraitsTab() {
  const { id, schema } = useRecord(schemaQuery);
  const { traits, rules, whole } = traitTree(schema);
  return (
    <Stack gap="md">
      <Section title="At a glance">
        <FactList
          facts={[
            ['Identities', <IdentityCount key="count" schemaId={id} />],
            ['Its own id', typeof schema.$id === 'string' ? schema.$id : 'none'],
            ['Other traits', rules.includes('no other members') ? 'Refused' : 'Allowed, and kept as they are'],
          ]}
        />
      </Section>
      <Section title="Traits" about="What an identity of this schema has, and what each is used for.">
        {traits.length === 0 ? (
          <Text size="sm" c="dimmed">
            This schema names no traits: see its JSON.
          </Text>
        ) : (
          <TraitNodes traits={traits} />
        )}
        {!whole && (
          <Alert variant="default" mt="sm" title="Not all of it is shown">
            The schema goes deeper, or refers to itself. Its JSON is whole.
          </Alert>
        )}
      </Section>
    </Stack>
  );
}
