import { Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, useState } from 'react';
import { IconButton } from './buttons.tsx';
import { IconEye, IconEyeOff } from './icons.tsx';
import classes from './ui.module.css';

/** A text area with masking: PEM keys have several lines, which a password field cannot display. */
export function SecretTextarea({ secret, ...textarea }: TextareaProps & { secret: boolean }) {
  const [isVisible, setVisible] = useState(false);
  return (
    <Textarea
      {...textarea}
      autosize
      minRows={secret ? 2 : 3}
      maxRows={12}
      classNames={{ input: secret && !isVisible ? classes.covered : classes.text }}
      rightSection={
        secret ? (
          <IconButton label={isVisible ? 'Hide text' : 'Show text'} onClick={() => setVisible(!isVisible)}>
            {isVisible ? <IconEyeOff /> : <IconEye />}
          </IconButton>
        ) : undefined
      }
    />
  );
}

/** In a text area, Enter submits the form, and Shift+Enter starts a new line. */
export function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  // The Enter that ends a conversion of an input method has the key code 229 in Safari.
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/**
 * A text input for a stored value. Inputs drop line breaks, so a value becomes a text area once it contains a line
 * break, and stays one.
 */
export function StoredTextInput({
  onChange,
  isMultiline = false,
  ...props
}: Omit<TextInputProps, 'onChange' | 'value'> & {
  value: string;
  /** Whether it is a text area from the start. */
  isMultiline?: boolean;
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}) {
  const [hasBreaks, setHasBreaks] = useState(isMultiline);
  if (!hasBreaks && props.type === undefined && /[\r\n]/.test(props.value)) setHasBreaks(true);
  if (!hasBreaks) return <TextInput {...props} onChange={onChange} />;
  const { label, description, inputWrapperOrder, error, required, readOnly, value } = props;
  const field = { label, description, inputWrapperOrder, error, required, readOnly, value };
  return <Textarea {...field} autosize maxRows={10} onChange={onChange} onKeyDown={submitOnEnter} />;
}
