"""The names of NumPy that programs have, for both sides: the guest makes its functions, the host allows no others."""


def words(text: str) -> list[str]:
    """Return the names of a list that is written as a text."""
    return text.split()


DTYPES = words("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128")
UFUNCS = words(
    "add subtract multiply divide floor_divide remainder fmod power float_power negative positive absolute fabs sign "
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal sin cos tan arcsin arccos arctan arctan2 hypot "
    "sinh cosh tanh arcsinh arccosh arctanh degrees radians deg2rad rad2deg maximum minimum fmax fmin greater "
    "greater_equal less less_equal equal not_equal logical_and logical_or logical_xor logical_not isfinite isinf "
    "isnan signbit floor ceil trunc rint bitwise_and bitwise_or bitwise_xor invert left_shift right_shift conjugate "
    "logaddexp logaddexp2 heaviside gcd lcm divmod modf copysign nextafter spacing"
)
UFUNC_METHODS = words("reduce accumulate reduceat outer at")
FUNCTIONS = words(
    "array zeros ones full empty zeros_like ones_like full_like empty_like arange linspace logspace geomspace eye "
    "identity tri diag vander meshgrid ix_ tril_indices triu_indices repeat tile resize broadcast_to broadcast_arrays "
    "pad outer kron sum prod mean std var max min amax amin ptp argmax argmin cumsum cumprod cumulative_sum any all "
    "median average count_nonzero nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin nancumsum "
    "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims atleast_1d atleast_2d atleast_3d "
    "concatenate concat stack vstack hstack dstack column_stack block append flip fliplr flipud roll rot90 sort "
    "argsort lexsort unique searchsorted digitize interp round around trapezoid gradient diff delete insert compress "
    "extract trace diagonal tril triu fill_diagonal put place putmask isin union1d intersect1d setdiff1d setxor1d "
    "unravel_index ravel_multi_index matrix_transpose permute_dims isreal iscomplex real_if_close trim_zeros ediff1d "
    "where clip isclose allclose array_equal array_equiv select cross nan_to_num real imag angle sinc take "
    "take_along_axis put_along_axis split array_split hsplit vsplit histogram histogram_bin_edges bincount percentile "
    "quantile cov corrcoef matmul dot inner vdot einsum nonzero argwhere flatnonzero polyfit polyval roots poly "
    "convolve correlate copy copyto ascontiguousarray"
)
LINALG = words(
    "norm inv pinv det slogdet solve lstsq eig eigh eigvals eigvalsh svd svdvals qr cholesky matrix_rank matrix_power "
    "cond"
)
TESTING = words(
    "assert_allclose assert_array_equal assert_equal assert_almost_equal assert_array_almost_equal assert_array_less"
)
METHODS = words(
    "sum mean std var max min prod all any argmax argmin cumsum cumprod round clip dot reshape ravel flatten transpose "
    "swapaxes squeeze repeat take sort argsort copy astype item tolist fill diagonal trace nonzero conj conjugate "
    "searchsorted put compress view"
)
COMPARISONS = words("lt le gt ge eq ne")
ARITHMETIC = words("add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift")
"""Operators that exist in place, too."""
CONVERSIONS = words("neg pos abs invert bool float int index complex")
"""Operators of one array."""
RANDOM_OF_BOTH = words(
    "choice permutation standard_normal standard_exponential exponential poisson chisquare standard_t rayleigh weibull "
    "pareto power dirichlet standard_gamma normal uniform binomial beta gamma laplace logistic lognormal gumbel "
    "multivariate_normal multinomial triangular random shuffle"
)
"""Methods of `Generator` and of `RandomState`."""
RANDOM_OF_STATE = words("rand randn randint random_sample seed set_state get_state")
