import { NativeSelect } from '@mantine/core';
import type { KnownSchemas } from '../../../api/identity-schemas.ts';
import { rememberSchema } from '../remembered-schema.ts';

/** Asks for the schema of identities that name none, unless there is only one schema. */
export function SchemaChoice(props: {
  known: KnownSchemas;
  schemaId: string | undefined;
  onSchema: (id: string) => void;
}) {
  const { schemas } = props.known;
  if (schemas.length < 2) return null;
  return (
    <NativeSelect
      label="Schema for identities that name none"
      maw="24rem"
      data={[
        ...(props.schemaId === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
        ...schemas.map(({ id }) => id),
      ]}
      value={props.schemaId ?? ''}
      onChange={({ currentTarget }) => {
        rememberSchema(currentTarget.value);
        props.onSchema(currentTarget.value);
      }}
    />
  );
}
