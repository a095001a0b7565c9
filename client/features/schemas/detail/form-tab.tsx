import { Code, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isObject, traitsIn } from '../../../../shared/json.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { jsonText } from '../../../resource/form/not-json.ts';
import { TraitFields } from '../../../resource/traits/trait-field.tsx';
import { Section } from '../../../ui/section.tsx';
import { schemaQuery } from '../schema-query.ts';
import classes from './form-tab.module.css';

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
