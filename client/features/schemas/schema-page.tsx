import { Alert, Badge, Code, Group, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import { membersOf, traitsIn } from '../../../shared/json.ts';
import { type IdentitySchema, identitySchemaQuery } from '../../api/identity-schemas.ts';
import { useCan } from '../../api/session.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { jsonText } from '../../record/json-editor.tsx';
import { recordPage } from '../../record/record-page.tsx';
import { Columns, CopyableFact, HeadingFacts, useRecord } from '../../record/tabs.tsx';
import { TraitFields } from '../../record/trait-field.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Dimmed, PageHeading, Section } from '../../ui/layout.tsx';
import { IconUserPlus } from '../../ui/shell-icons.tsx';
import { SCHEMAS } from './schema-resource.ts';
import classes from './schemas.module.css';
import { IdentityCount } from './schemas-page.tsx';
import { schemaName, type TraitNode, traitTree } from './trait-tree.ts';

/** A schema does not contain its id. */
const schemaQuery = (id: string) =>
  queryOptions({ ...identitySchemaQuery(id), select: (schema): IdentitySchema => ({ id, schema }) });

export const SchemaPage: ComponentType = recordPage(SCHEMAS, {
  query: schemaQuery,
  header: (schema) => <SchemaHeader schema={schema} />,
  tabs: [
    ['', 'Traits', TraitsTab],
    ['/form', 'Form', FormTab],
  ],
  json: { about: 'As the identity service returned it.', value: ({ schema }) => schema },
});

function SchemaHeader({ schema }: { schema: IdentitySchema }) {
  const { id } = schema;
  const may = useCan();
  return (
    <PageHeading
      title={schemaName(schema)}
      about={
        <HeadingFacts>
          <CopyableFact what="schema ID" text={id} />
        </HeadingFacts>
      }
      actions={
        <>
          {may('identities.read') && (
            <LinkButton variant="default" to="/identities" search={{ schema: id }}>
              Identities with this schema
            </LinkButton>
          )}
          {may('upstreams.write') && (
            <LinkButton leftSection={<IconUserPlus />} to="/identities/new" search={{ schema: id }}>
              New identity with this schema
            </LinkButton>
          )}
        </>
      }
    />
  );
}

function FormTab() {
  const { schema } = useRecord(schemaQuery);
  const [traits, setTraits] = useState<unknown>({});
  return (
    <Columns
      wide="first"
      first={
        <Section title="The form" about="A preview of the form on an identity's page. Nothing is sent or stored.">
          {Object.keys(membersOf(traitsIn(schema).properties)).length > 0 ? (
            <TraitFields
              schema={membersOf(schema.properties).traits}
              root={schema}
              pointer="/traits"
              value={traits}
              problems={{}}
              onChange={setTraits}
            />
          ) : (
            <NoTraits />
          )}
        </Section>
      }
      second={
        <Section title="Resulting traits">
          <Code block tabIndex={0} role="region" aria-label="The traits as JSON">
            {jsonText(traits)}
          </Code>
        </Section>
      }
    />
  );
}

const NoTraits = () => <Dimmed>This schema defines no traits.</Dimmed>;

function TraitsTab() {
  const { id, schema } = useRecord(schemaQuery);
  const { traits, others, complete } = traitTree(schema);
  return (
    <Columns
      wide="second"
      first={
        <Section title="At a glance">
          <FactList
            facts={[
              ['Identities', <IdentityCount key="count" schemaId={id} />],
              ['$id', typeof schema.$id === 'string' ? schema.$id : 'none'],
              ['Other traits', others ? 'Allowed and stored unchanged' : 'Rejected'],
            ]}
          />
        </Section>
      }
      second={
        <Section title="Traits" about="What identities with this schema contain, and what each trait is used for.">
          {traits.length === 0 ? <NoTraits /> : <TraitNodes traits={traits} />}
          {!complete && (
            <Alert variant="default" mt="sm" title="Not everything is shown">
              The schema is too large or too deeply nested, or refers to itself. The JSON tab shows all of it.
            </Alert>
          )}
        </Section>
      }
    />
  );
}

const TraitNodes = ({ traits }: { traits: readonly TraitNode[] }) => (
  <ul className={classes.traits}>
    {traits.map((trait) => (
      <li key={trait.key}>
        <Trait trait={trait} />
        {trait.children.length > 0 && <TraitNodes traits={trait.children} />}
      </li>
    ))}
  </ul>
);

function Trait({ trait }: { trait: TraitNode }) {
  const { key, title, kind, required, description, rules, uses } = trait;
  return (
    <div className={classes.trait}>
      <Group gap="0.125rem 0.5rem">
        <Text span fw={600} size="sm">
          <bdi>{visibleText(title)}</bdi>
        </Text>
        {title !== key && <Code>{visibleText(key)}</Code>}
        <Dimmed span>{visibleText(kind)}</Dimmed>
        {required && (
          <Badge component="span" variant="light">
            Required
          </Badge>
        )}
      </Group>
      {description !== undefined && (
        <Text size="sm">
          <bdi>{visibleText(description)}</bdi>
        </Text>
      )}
      {rules.length > 0 && <Dimmed size="xs">{visibleText(rules.join('; '))}</Dimmed>}
      {uses.map(({ label, meaning }) => (
        <Text key={label} size="xs" mt={2}>
          <strong>{visibleText(label)}.</strong>{' '}
          <Text span inherit c="dimmed">
            {meaning}
          </Text>
        </Text>
      ))}
    </div>
  );
}
