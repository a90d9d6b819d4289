/** Form fields: a label above, the field, and help or an error below. */
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from "react";

interface Frame {
  label: string;
  help?: ReactNode;
  isRequired?: boolean;
}

type InputProps = Frame &
  Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> & {
    onValue: (value: string) => void;
    /** Suggested values. Others are possible. */
    known?: string[];
  };

export function TextField({ label, help, isRequired, known = [], onValue, ...rest }: InputProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired === true && <span className="required"> (required)</span>}
      </label>
      <input
        id={id}
        type="text"
        list={known.length > 0 ? `${id}-known` : undefined}
        autoComplete="off"
        spellCheck={false}
        required={isRequired}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => onValue(event.target.value)}
        {...rest}
      />
      {known.length > 0 && (
        <datalist id={`${id}-known`}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {help !== undefined && (
        <p id={`${id}-help`} className="help">
          {help}
        </p>
      )}
    </div>
  );
}

type SelectProps = Frame &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> & { onValue: (value: string) => void };

export function SelectField({ label, help, isRequired, onValue, children, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        required={isRequired}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => onValue(event.target.value)}
        {...rest}
      >
        {children}
      </select>
      {help !== undefined && (
        <p id={`${id}-help`} className="help">
          {help}
        </p>
      )}
    </div>
  );
}
