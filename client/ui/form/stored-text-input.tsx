import { Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';

/**
 * A text input for a stored value. An input would drop the value's line breaks: a value with any gets a text area, and
 * keeps it, so that nothing changes while it is edited.
 */
export function StoredTextInput({
  onChange,
  ...props
}: Omit<TextInputProps, 'onChange' | 'value'> & {
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}) {
  const [hasBreaks, setHasBreaks] = useState(false);
  if (!hasBreaks && props.type === undefined && /[\r\n]/.test(props.value)) setHasBreaks(true);
  if (!hasBreaks) return <TextInput {...props} onChange={onChange} />;
  const { label, description, inputWrapperOrder, error, required, readOnly, value } = props;
  const field = { label, description, inputWrapperOrder, error, required, readOnly, value };
  return <Textarea {...field} autosize maxRows={10} autoComplete="off" spellCheck={false} onChange={onChange} />;
}
