import { Alert, Badge, Button, Code, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { isObject, traitsIn } from '../../../shared/json.ts';
import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { useCan } from '../../api/session.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { jsonText } from '../../record/json-editor.tsx';
import { recordPage } from '../../record/record-page.tsx';
import { CopyableFact, useRecord } from '../../record/tabs.tsx';
import { TraitFields } from '../../record/trait-field.tsx';
import { FactList } from '../../ui/facts.tsx';
import { PageHeading, Section } from '../../ui/layout.tsx';
import { IconUserPlus } from '../../ui/shell-icons.tsx';
import { SCHEMAS } from './schema-resource.ts';
import classes from './schemas.module.css';
import { IdentityCount } from './schemas-page.tsx';
import { schemaName, schemaQuery, type TraitNode, traitTree } from './trait-tree.ts';

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
      about={<CopyableFact label="Copy the schema id" text={id} />}
      actions={
        <>
          {may('identities.read') && (
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/identities" search={{ schema: id }} preload={false} />}
            >
              Identities with this schema
            </Button>
          )}
          {may('upstreams.write') && (
            <Button
              leftSection={<IconUserPlus />}
              renderRoot={(props) => <Link {...props} to="/identities/new" search={{ schema: id }} preload={false} />}
            >
              New identity with this schema
            </Button>
          )}
        </>
      }
    />
  );
}

/** A working preview of the schema's form. */
export function FormTab() {
  const { schema } = useRecord(schemaQuery);
  const [traits, setTraits] = useState<unknown>({});
  const fields = traitsIn(schema);
  return (
    <div className={classes.beside}>
      <Section title="The form" about="A preview of the form on an identity's page. Nothing is sent or stored.">
        {isObject(fields.properties) && Object.keys(fields.properties).length > 0 ? (
          <TraitFields
            schema={fields}
            root={schema}
            pointer="/traits"
            value={traits}
            problems={NO_PROBLEMS}
            onChange={setTraits}
          />
        ) : (
          <Text size="sm" c="dimmed">
            This schema defines no traits, so there is nothing to fill in.
          </Text>
        )}
      </Section>
      <Section title="Resulting traits">
        <Stack gap="xs">
          <Code block tabIndex={0} role="region" aria-label="The traits as JSON" className={classes.json}>
            {jsonText(traits)}
          </Code>
        </Stack>
      </Section>
    </div>
  );
}

const NO_PROBLEMS = {};

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

/** Traits as a nested list. */
export const TraitNodes = ({ traits }: { traits: readonly TraitNode[] }) => (
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
      <div className={classes.name}>
        <Text span fw={600} size="sm">
          <bdi>{visibleText(title)}</bdi>
        </Text>
        {title !== key && <Code>{visibleText(key)}</Code>}
        <Text span size="sm" c="dimmed">
          {visibleText(kind)}
        </Text>
        {required && (
          <Badge component="span" variant="light" tt="none" fw={500}>
            Required
          </Badge>
        )}
      </div>
      {description !== undefined && (
        <Text size="sm">
          <bdi>{visibleText(description)}</bdi>
        </Text>
      )}
      {rules.length > 0 && (
        <Text size="xs" c="dimmed">
          {visibleText(rules.join('; '))}
        </Text>
      )}
      {uses.length > 0 && (
        <dl className={classes.uses}>
          {uses.map(({ label, meaning }) => (
            <div key={label}>
              <dt>{visibleText(label)}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
