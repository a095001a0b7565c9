import { Alert, Stack, Text } from '@mantine/core';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { FactList } from '../../../ui/fact-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { IdentityCount } from '../identity-count.tsx';
import { schemaQuery } from '../schema-query.ts';
import { traitTree } from '../trait-tree.ts';
import { TraitNodes } from './trait-nodes.tsx';

export function TraitsTab() {
  const { id, schema } = useRecord(schemaQuery);
  const { traits, rules, complete } = traitTree(schema);
  return (
    <Stack gap="md">
      <Section title="At a glance">
        <FactList
          facts={[
            ['Identities', <IdentityCount key="count" schemaId={id} />],
            ['$id', typeof schema.$id === 'string' ? schema.$id : 'none'],
            ['Other traits', rules.includes('no other members') ? 'Rejected' : 'Allowed and stored unchanged'],
          ]}
        />
      </Section>
      <Section title="Traits" about="What identities with this schema contain, and what each trait is used for.">
        {traits.length === 0 ? (
          <Text size="sm" c="dimmed">
            This schema defines no traits. See its JSON.
          </Text>
        ) : (
          <TraitNodes traits={traits} />
        )}
        {!complete && (
          <Alert variant="default" mt="sm" title="Not everything is shown">
            The schema is too deeply nested or refers to itself. Its JSON is complete.
          </Alert>
        )}
      </Section>
    </Stack>
  );
}
