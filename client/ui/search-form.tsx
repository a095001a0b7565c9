import { Button, CloseButton, Group, type GroupProps, Text, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { IconSearch } from './shell-icons.tsx';

/**
 * A search that runs on Enter or its button.
 * @param explanation what the search covers, below the fields
 * @param children renders the fields, given the id of the explanation that describes them
 */
export function SearchForm(props: {
  onSubmit: () => void;
  explanation: ReactNode;
  children: (explanation: string) => ReactNode;
  submit?: ReactNode;
  /** Below the form. */
  below?: ReactNode;
  maw: string;
  wrap?: GroupProps['wrap'];
}) {
  const explanation = useId();
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Group gap="xs" wrap={props.wrap ?? 'wrap'} align="flex-start" maw={props.maw}>
          {props.children(explanation)}
          {props.submit ?? (
            <Button type="submit" variant="default">
              Search
            </Button>
          )}
        </Group>
        <Text id={explanation} size="xs" c="dimmed" mt={4} component="div">
          {props.explanation}
        </Text>
      </form>
      {props.below}
    </search>
  );
}

/** A field with a label and a clear button. @param cleared name of the field's content: "the name" */
export function SearchField({
  label,
  cleared,
  value,
  onChange,
  onClear,
  'aria-describedby': explanation,
  ...rest
}: Pick<TextInputProps, 'aria-describedby' | 'autoCapitalize' | 'error' | 'flex' | 'leftSection' | 'placeholder'> & {
  label: string;
  cleared: string;
  value: string;
  onChange: (text: string) => void;
  onClear: () => void;
}) {
  const errorId = useId();
  return (
    <TextInput
      flex={1}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch />}
      autoCapitalize="none"
      {...rest}
      errorProps={{ id: errorId }}
      // Mantine overwrites a prop of this name.
      attributes={{ input: { 'aria-describedby': rest.error ? `${errorId} ${explanation}` : explanation } }}
      rightSection={value !== '' && <CloseButton aria-label={`Clear ${cleared}`} onClick={onClear} />}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
